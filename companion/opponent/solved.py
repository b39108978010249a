# SPDX-License-Identifier: Apache-2.0
"""Which games are solved."""

from __future__ import annotations

from typing import Final

SOLVED: Final = ("close-quarters",)
"""Slugs of the games of which each position has a proven result."""
