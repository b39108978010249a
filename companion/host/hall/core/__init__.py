# SPDX-License-Identifier: Apache-2.0
"""The state of a hall: seats, orders, copies of journals, and what spectators may see."""
