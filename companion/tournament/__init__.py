# SPDX-License-Identifier: Apache-2.0
"""Tournaments: pairings, results and standings. Pure, and independent of the game."""
