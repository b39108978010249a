# SPDX-License-Identifier: Apache-2.0
"""Presentation of a table's view: one kind of output device per file."""
