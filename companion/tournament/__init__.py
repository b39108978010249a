# SPDX-License-Identifier: Apache-2.0
"""Tournaments: who plays whom, round by round, and how they stand. Pure, and for every game alike."""
