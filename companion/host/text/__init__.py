# SPDX-License-Identifier: Apache-2.0
"""The user guide, and errors in other languages."""
