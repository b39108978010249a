# SPDX-License-Identifier: Apache-2.0
"""People at a board: physics, hands, truth, and a judge.

Written by an examiner without knowledge of the referee.
"""
