# SPDX-License-Identifier: Apache-2.0
"""Starts a game and assembles its table."""
