# SPDX-License-Identifier: Apache-2.0
"""Companion: a computer that watches a real table, referees the game on it, and explains."""

__version__ = "0.1.0"
