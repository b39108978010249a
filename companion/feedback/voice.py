# SPDX-License-Identifier: Apache-2.0
"""What is to be said aloud: the result, why a move is not allowed, what is asked, CHECK! and ESCAPE!

Rule: it follows from the view alone. A speaker says what is new since the view before, so each thing is said once,
and again only if it has gone and comes back.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.feedback.prompts import announcement_sentence, drawn_to_begin, question_sentence
from companion.feedback.words import Words
from companion.referee.view import TableView


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing to say."""

    key: str
    """The same for as long as it is the same thing, in whichever language."""
    text: str


def render(view: TableView, words: Words) -> tuple[Utterance, ...]:
    """All that is worth saying now, the weightiest first."""
    if view.outcome is not None:
        return (Utterance("outcome", words.outcome(view.outcome)),)
    said = []
    if view.fault is not None:
        wrong = view.fault.violation
        said.append(Utterance(f"fault {view.ply} {wrong}", words.sentence(wrong)))
    if view.question is not None:
        said.append(
            Utterance(
                f"question {view.question.ply} {view.question.aspect}",
                question_sentence(view.question, view, words),
            )
        )
    if (side := drawn_to_begin(view)) is not None:
        text = words.fill(words.common.notices.drawn, side=words.side(side))
        said.append(Utterance(f"drawn {side}", text))
    for each in view.announcements:
        text = f"{words.cry(each.cry)} {announcement_sentence(each, view, words)}"
        said.append(Utterance(f"{view.ply} {each}", text))
    return tuple(said)
