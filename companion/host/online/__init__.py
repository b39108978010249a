# SPDX-License-Identifier: Apache-2.0
"""People and programs elsewhere, who read a board or play at it."""
