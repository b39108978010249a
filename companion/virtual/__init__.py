# SPDX-License-Identifier: Apache-2.0
"""A table made of software: a panel behind the real protocol, and hands that play on it."""
