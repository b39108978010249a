# SPDX-License-Identifier: Apache-2.0
"""Shows kept games, in the terminal and in browsers."""
