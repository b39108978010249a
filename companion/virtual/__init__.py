# SPDX-License-Identifier: Apache-2.0
"""A simulated table: a panel behind the real protocol, and pieces."""
