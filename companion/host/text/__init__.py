# SPDX-License-Identifier: Apache-2.0
"""The user guide, and translations of errors."""
