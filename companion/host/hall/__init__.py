# SPDX-License-Identifier: Apache-2.0
"""A hall of many tables, for arbiters and spectators."""
