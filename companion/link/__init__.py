# SPDX-License-Identifier: Apache-2.0
"""Bytes to messages and back: the wire to a panel."""
