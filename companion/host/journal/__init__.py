# SPDX-License-Identifier: Apache-2.0
"""The journal file of a game."""
