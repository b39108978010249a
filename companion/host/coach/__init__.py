# SPDX-License-Identifier: Apache-2.0
"""The coach of a table: hints, warnings, mistakes of a finished game, and who wins."""
