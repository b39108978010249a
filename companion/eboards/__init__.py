# SPDX-License-Identifier: Apache-2.0
"""Eboards, one file each: bytes to reports, lamps to bytes.

Pure. An eboard is not a panel of ours: it speaks its maker's protocol, and most know their pieces.
"""
