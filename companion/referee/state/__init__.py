# SPDX-License-Identifier: Apache-2.0
"""The state of one session: its statechart, its clocks, its record, and how they change."""
