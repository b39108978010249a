# SPDX-License-Identifier: Apache-2.0
"""Immutable value types that all other packages use. Imports nothing of this project."""
