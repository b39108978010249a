# SPDX-License-Identifier: Apache-2.0
"""Helpers shared by several games; independent of any game."""
