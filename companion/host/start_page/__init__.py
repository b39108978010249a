# SPDX-License-Identifier: Apache-2.0
"""The start page, and the program that serves it together with a table."""
