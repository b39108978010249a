# SPDX-License-Identifier: Apache-2.0
"""Boards of other makers, one file each: bytes to reports, lamps to bytes.

Pure. A board is not a panel of ours: it speaks its maker's protocol, and most know their pieces.
"""
