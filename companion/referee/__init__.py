# SPDX-License-Identifier: Apache-2.0
"""The referee: compares observations with legal moves, and derives what happened. Pure."""
