# SPDX-License-Identifier: Apache-2.0
"""State of a hall: stations, orders, copies of journals, and the delayed view."""
