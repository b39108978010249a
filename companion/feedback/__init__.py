# SPDX-License-Identifier: Apache-2.0
"""A view of the table becomes something to show: one kind of device a file."""
