# SPDX-License-Identifier: Apache-2.0
"""State of a hall: boards, orders, copies of journals, and the delayed view."""
