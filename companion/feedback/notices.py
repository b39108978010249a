# SPDX-License-Identifier: Apache-2.0
"""What players should know of the table besides the game: that the board lies turned, for instance.

Rule: a notice stays for as long as it is true, and asks for nothing at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.feedback.words import Words
from companion.referee.view import TableView


def notices(view: TableView, words: Words) -> Iterator[str]:
    """The notices of *view*, a sentence each."""
    said = words.common.notices
    if view.is_turn_unclear:
        yield words.fill(said.turn_unclear)
    elif view.turned:
        yield words.fill(said.turned, count=view.turned)
