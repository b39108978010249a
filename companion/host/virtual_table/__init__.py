# SPDX-License-Identifier: Apache-2.0
"""A table made of software, and its hands."""
