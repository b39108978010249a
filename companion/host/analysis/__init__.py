# SPDX-License-Identifier: Apache-2.0
"""Analysis of positions on request: tablebases on disk, and what people read of them."""
