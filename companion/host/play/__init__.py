# SPDX-License-Identifier: Apache-2.0
"""Starts a game and puts a table together from its parts."""
