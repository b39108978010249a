# SPDX-License-Identifier: Apache-2.0
"""Sentences of hints and warnings, and of the reasons for moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from companion.feedback.template import Filling
from companion.feedback.words import Words
from companion.model.advice import Advice, AdviceKind, Reason
from companion.model.game import Argument
from companion.model.pieces import Piece
from companion.referee.values.view import TableView


def advice_sentences(view: TableView, words: Words) -> Iterator[str]:
    """The advice of *view*, if any, with its reasons as far as they are given."""
    if view.advice is not None:
        yield _sentence(view.advice, view, words)


def _sentence(advice: Advice, view: TableView, words: Words) -> str:
    said = words.common.hints
    why = reasons_text(advice.reasons, words)
    if advice.kind in (AdviceKind.WARNING, AdviceKind.TASK, AdviceKind.MISSED):
        return why
    if not advice.source and not advice.target:
        return words.fill(said["thinking"])
    moved = view.placement.at(advice.source[0]) if advice.source else None
    cells = {
        name: view.grid.name(each[0])
        for name, each in (("source", advice.source), ("target", advice.target))
        if each
    }
    if moved is None:
        text = words.fill(said["place"], **cells)
    elif advice.target and advice.target != advice.source:
        text = words.fill(words.common.guides.carry, piece=words.piece(moved), **cells)
    else:
        text = words.fill(said["turn" if advice.target else "piece"], piece=words.piece(moved), **cells)
    return f"{text} {why}".rstrip()


def reasons_text(reasons: Iterable[Reason], words: Words) -> str:
    """*reasons*, a sentence each."""
    return " ".join(_reason(each, words) for each in reasons)


def _reason(reason: Reason, words: Words) -> str:
    if reason.slug in words.common.cries:
        return words.common.cries[reason.slug]
    said, given = words.common.hints, dict(reason.arguments)
    ending = given.get("ending")
    own = said.get(f"{reason.slug}-{ending}", said[reason.slug])  # "mate" is more than "the game is lost"
    return words.fill(own, **{name: _filling(name, value, words) for name, value in given.items()})


def _filling(name: str, value: Argument, words: Words) -> Filling:
    if isinstance(value, Piece):
        return words.piece(value)
    return words.termination(value) if name == "ending" and isinstance(value, str) else value
