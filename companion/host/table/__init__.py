# SPDX-License-Identifier: Apache-2.0
"""The task of one table, and the pipeline from input to output."""
