# SPDX-License-Identifier: Apache-2.0
"""The words of the referee: immutable values, and pure functions of one of them."""
