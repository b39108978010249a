# SPDX-License-Identifier: Apache-2.0
"""What the process that thinks is sent, and what it answers, line by line.

A line is one of the words below, or a question in JSON; each question has an answer in JSON. What
is sent to think ahead has `LEVELS`, and no answer.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Question: TypeAlias = dict[str, Any]
Answer: TypeAlias = dict[str, Any]

STOP: Final = "stop"
"""Answer at once."""
REST: Final = "rest"
"""Think ahead no more."""
QUIT: Final = "quit"
LEVELS: Final = "levels"
"""The level of each side, 0 for people."""
