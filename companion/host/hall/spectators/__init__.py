# SPDX-License-Identifier: Apache-2.0
"""The delayed, public output of a hall."""
