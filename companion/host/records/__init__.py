# SPDX-License-Identifier: Apache-2.0
"""Stored games: database, import, export, images and replay."""
