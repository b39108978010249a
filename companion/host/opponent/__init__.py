# SPDX-License-Identifier: Apache-2.0
"""The computer's moves: processes that think, ours or a chess engine, and can be stopped."""
