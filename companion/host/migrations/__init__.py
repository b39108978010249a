# SPDX-License-Identifier: Apache-2.0
"""Every version of the database's tables, and the way from each to the next."""
