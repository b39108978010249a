# SPDX-License-Identifier: Apache-2.0
"""Keys of tables: how they join, and how messages are sealed."""
