# SPDX-License-Identifier: Apache-2.0
"""Keys of tables: joining a hall, and message authentication."""
