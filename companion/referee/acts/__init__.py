# SPDX-License-Identifier: Apache-2.0
"""Orders, presses, answers and corrections: they change the state and give events."""
