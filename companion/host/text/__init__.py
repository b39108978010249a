# SPDX-License-Identifier: Apache-2.0
"""The user guide, lists, and translations of errors."""
