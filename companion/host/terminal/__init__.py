# SPDX-License-Identifier: Apache-2.0
"""The table in a terminal."""
