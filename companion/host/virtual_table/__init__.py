# SPDX-License-Identifier: Apache-2.0
"""A virtual table and its hands."""
