# SPDX-License-Identifier: Apache-2.0
"""Serves the page of a table, and limits who may connect."""
