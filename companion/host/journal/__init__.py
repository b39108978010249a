# SPDX-License-Identifier: Apache-2.0
"""The file that a game is written to as it happens."""
