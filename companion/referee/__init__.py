# SPDX-License-Identifier: Apache-2.0
"""Pure: holds what may have happened against the lawful moves, and says what it believes."""
