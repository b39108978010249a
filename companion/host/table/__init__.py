# SPDX-License-Identifier: Apache-2.0
"""The task of one table, and the pipeline from bytes and images to lamps, text and tones."""
