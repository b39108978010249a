# SPDX-License-Identifier: Apache-2.0
"""Sentences of hints, warnings and reviews: what is claimed of moves, in words.

Its rule: of a move only that is said which was verified, and what the rules announce; where nothing
was, the line that a search has found, which claims nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from companion.feedback.words import Words
from companion.model.advice import Advice, AdviceKind
from companion.model.claims import ClaimKind, WrittenClaim
from companion.referee.values.view import TableView

_SHOWN_PLIES: Final = 4
"""Of a line."""
_MOST_MERITS: Final = 3
_MERITS: Final = (
    ClaimKind.MATE,
    ClaimKind.WINS,
    ClaimKind.ONLY_MOVE,
    ClaimKind.DEFENDS,
    ClaimKind.ESCAPES,
    ClaimKind.THREATENS,
    ClaimKind.REACHES,
    ClaimKind.DRAW,
)
"""What speaks for a move, the most important first."""


def advice_sentences(view: TableView, words: Words) -> Iterator[str]:
    """The advice of *view*, if any, as far as it is shown."""
    if view.advice is not None:
        yield _sentence(view.advice, view, words)


def _sentence(advice: Advice, view: TableView, words: Words) -> str:
    match advice.kind:
        case AdviceKind.TASK:
            return words.fill(words.common.hints["task"], count=advice.count)
        case AdviceKind.MISSED:
            return words.common.hints["missed"]
        case AdviceKind.WARNING:
            return _warning(advice, words)
    return _hint(advice, view, words)


def _hint(advice: Advice, view: TableView, words: Words) -> str:
    said = words.common.hints
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
    cries = (words.cry(each) for each in advice.cries)
    return " ".join((text, *cries, *merits(advice.claims, advice.line, words)))


def _warning(advice: Advice, words: Words) -> str:
    said, answers = words.common.hints, advice.line[1:2]
    what = next((_loss(each, words) for each in advice.claims if each.kind is ClaimKind.REFUTED), "")
    if not what:
        what = words.fill(said["answer" if answers else "warning"], moves=" ".join(answers))
    return words.fill(said["careful"], said=what)


def refutation(claims: Sequence[WrittenClaim], words: Words) -> str:
    """What a mistake loses by its *claims*; "" if nothing is proven."""
    text = next((_loss(each, words) for each in claims if each.kind is ClaimKind.REFUTED), "")
    return text[:1].upper() + text[1:]


def merits(claims: Sequence[WrittenClaim], line: Sequence[str], words: Words) -> Iterator[str]:
    """Yield what speaks for a move of which *claims* are verified, a sentence each.

    If nothing is, *line*, best play from the move on, if it is given.
    """
    lines = [*chain.from_iterable(each.line for each in claims)]
    said = (each for each in claims if each.kind in _MERITS and each.threat not in lines)
    found = sorted(said, key=lambda each: _MERITS.index(each.kind))
    for each in found[:_MOST_MERITS]:
        yield _merit(each, words)
    if line and not found:
        yield best_line(line, words)


def best_line(line: Sequence[str], words: Words) -> str:
    """Best play, as a search has found it."""
    return words.fill(words.common.hints["line"], moves=" ".join(line[:_SHOWN_PLIES]))


def _merit(claim: WrittenClaim, words: Words) -> str:
    """What speaks for a move."""
    return words.fill(
        words.common.hints[_merit_key(claim)],
        piece=words.pieces(claim.pieces),
        other=words.pieces(claim.given),
        count=claim.count,
        moves=claim.threat or " ".join(claim.line),
    )


def _merit_key(claim: WrittenClaim) -> str:
    """The key of the sentence of *claim*."""
    match claim.kind:
        case ClaimKind.MATE:
            return "wins" if claim.count == 1 else "wins-in"
        case ClaimKind.DRAW:
            return "ends" if claim.ending else "draw"
        case ClaimKind.WINS if claim.given:
            return "wins-for"
        case ClaimKind.WINS:
            return "captures" if len(claim.line) == 1 else "then-captures"
        case ClaimKind.THREATENS:
            return "threatens" if claim.pieces else "threatens-win"
    return claim.kind.value


def _loss(claim: WrittenClaim, words: Words) -> str:
    """What a mistake loses."""
    said, shown = words.common.hints, claim.line[1:]
    if claim.count == 1 and claim.ending:
        own = said.get(f"lost-{claim.ending}", said["lost"])  # "mate" is more than "the game is lost"
        return words.fill(own, moves=" ".join(shown), ending=words.termination(claim.ending))
    if claim.count:
        return words.fill(said["lost-in"], count=claim.count, moves=" ".join(shown[:_SHOWN_PLIES]))
    return words.fill(
        said["loses-for" if claim.given else "loses"],
        piece=words.pieces(claim.pieces),
        other=words.pieces(claim.given),
        moves=" ".join(shown),
    )
