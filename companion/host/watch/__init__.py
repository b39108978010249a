# SPDX-License-Identifier: Apache-2.0
"""Shows stored games in the terminal and in browsers."""
