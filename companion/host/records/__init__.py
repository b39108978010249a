# SPDX-License-Identifier: Apache-2.0
"""Kept games: store, import, export, pictures and replay."""
