# SPDX-License-Identifier: Apache-2.0
"""What lies over the view of a game at a table."""
