# SPDX-License-Identifier: Apache-2.0
"""The words: immutable values that every other room speaks. Imports nothing of ours."""
