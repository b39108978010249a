# SPDX-License-Identifier: Apache-2.0
"""What a sensor sees of a position: looks, marks of moves, turned boards."""
