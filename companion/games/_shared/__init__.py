# SPDX-License-Identifier: Apache-2.0
"""Helpers that several games use; no game, and knows none."""
