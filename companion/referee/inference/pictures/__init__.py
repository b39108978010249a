# SPDX-License-Identifier: Apache-2.0
"""Pictures of plain pieces: evidence about cells, and the board that is read from it."""
