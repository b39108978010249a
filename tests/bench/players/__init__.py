# SPDX-License-Identifier: Apache-2.0
"""People at a board, by an examiner who does not know the referee: physics, hands, truth, and a judge."""
