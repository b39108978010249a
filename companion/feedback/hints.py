# SPDX-License-Identifier: Apache-2.0
"""Sentences of hints, warnings and reviews: what is claimed of moves, in words.

Its rule: of a move only that is said which was verified (`WrittenClaim`), what the rules announce,
and what its steps do (`WrittenMove`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from companion.feedback.moves import clause, mover, named
from companion.feedback.template import Noun
from companion.feedback.words import Words
from companion.model.advice import Advice, AdviceKind, HintStage
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.written_move import WrittenMove
from companion.referee.values.view import TableView

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
        yield advised(view.advice, words)


def advised(advice: Advice, words: Words) -> str:
    """*advice*, as far as it is shown."""
    said = words.common.hints
    match advice.kind:
        case AdviceKind.TASK:
            return words.fill(said["task"], count=advice.count)
        case AdviceKind.MISSED:
            return said["missed"]
        case AdviceKind.WARNING:
            what = _loss(advice.claims, said["this"], words) or words.fill(said["better-one"])
            return words.fill(said["careful"], said=_capital(what))
    return _hint(advice, words)


def _hint(advice: Advice, words: Words) -> str:
    said, move = words.common.hints, advice.move
    if move is None:
        return words.fill(said["thinking"])
    if advice.stage is HintStage.PIECE:
        return words.fill(said["hint"], said=mover(move, words))
    told = words.fill(said["hint"], said=clause(move, words))
    if advice.stage is HintStage.MOVE:
        return told
    why = [*map(words.cry, advice.cries), *merits(advice.claims, words, is_told=True)]
    return " ".join((told, *(why or [said["tried" if len(move.steps) > 1 else "unproven"]])))


def review(
    played: WrittenMove,
    played_claims: Sequence[WrittenClaim],
    better: WrittenMove,
    claims: Sequence[WrittenClaim],
    words: Words,
) -> str:
    """How *played* is refuted, if that is proven, and what was better."""
    said = words.common.hints
    before = "" if played.is_named else words.fill(said["told"], said=_capital(clause(played, words)))
    lost, move = refutation(played, played_claims, words), _called(played, words)
    instead = words.fill(said["better" if lost else "was-better"], better=named(better, words), move=move)
    why = merits(claims, words, is_told=not better.is_named)
    return " ".join(filter(None, (before, lost, instead, *why)))


def refutation(played: WrittenMove, claims: Sequence[WrittenClaim], words: Words) -> str:
    """How *played* is refuted by its *claims*; "" if that is not proven."""
    lost = _loss(claims, _called(played, words), words)
    return lost if played.is_named else _capital(lost)


def _called(move: WrittenMove, words: Words) -> str:
    """*move* in a sentence about it: its notation where players speak it."""
    return move.text if move.is_named else words.common.hints["this"]


def best(move: WrittenMove, claims: Sequence[WrittenClaim], words: Words) -> str:
    """The best move of a position, and what speaks for it."""
    why = merits(claims, words, is_told=not move.is_named)
    told = words.fill(words.common.hints["best"], side=words.side(move.side), best=named(move, words))
    return " ".join((told, *why))


def merits(claims: Sequence[WrittenClaim], words: Words, *, is_told: bool) -> Iterator[str]:
    """What speaks for a move of which *claims* are verified, a sentence each.

    If it *is_told*, a clause has said what the move itself takes; not its points.
    """
    lines = [move.text for each in claims for move in each.line]
    said = [
        each
        for each in claims
        if each.kind in _MERITS
        and (each.threat is None or each.threat.text not in lines)
        and not (is_told and each.kind is ClaimKind.WINS and len(each.line) == 1 and not each.points)
    ]
    reasons = [each for each in said if each.kind is not ClaimKind.DRAW or each.ending]
    for each in sorted(reasons or said, key=lambda each: _MERITS.index(each.kind))[:_MOST_MERITS]:
        yield _merit(each, words)


def _template(key: str, words: Words) -> str:
    """The template called *key*, that of the game if it has its own."""
    return words.game.moves.get(key) or words.common.hints[key]


def _pieces(claim: WrittenClaim, places: Sequence[str], words: Words) -> Noun:
    """The pieces of *claim*, each with its own of *places* where known."""
    is_one = len(claim.pieces) == 1 and places
    return words.pieces(claim.pieces, [words.cells(places)] if is_one else places)


def _merit(claim: WrittenClaim, words: Words) -> str:
    """What speaks for a move."""
    said = words.common.hints
    text = words.fill(
        _template(_merit_key(claim), words),
        piece=_pieces(claim, () if claim.kind is ClaimKind.REACHES else claim.places, words),
        other=words.pieces(claim.given),
        count=claim.count or claim.points,
    )
    if claim.threat is not None and claim.threat.is_named:
        return words.fill(said["shown"], said=text, moves=claim.threat.text)
    if claim.threat is not None and not claim.pieces:
        return words.fill(said["by"], said=text, moves=named(claim.threat, words))
    shown = [named(move, words) for move in claim.line[1:3]]
    if claim.kind is not ClaimKind.WINS or not shown:
        return words.fill(said["told"], said=text)
    how = words.fill(said["answer-then" if shown[1:] else "answer"], answer=shown[0], moves=shown[-1])
    return " ".join((words.fill(said["told"], said=text), how))


def _merit_key(claim: WrittenClaim) -> str:
    """The key of what is said of *claim*."""
    match claim.kind:
        case ClaimKind.MATE:
            return "wins-game" if claim.count == 1 else "wins-in"
        case ClaimKind.DRAW:
            return "ends" if claim.ending else "draw"
        case ClaimKind.WINS:
            return "wins-for" if claim.given else "wins"
        case ClaimKind.THREATENS:
            return "threatens" if claim.pieces else "threatens-win"
    return claim.kind.value


def _loss(claims: Sequence[WrittenClaim], move: str, words: Words) -> str:
    """What *move* loses, and by which answer; "" if nothing is proven."""
    claim = next((each for each in claims if each.kind is ClaimKind.REFUTED), None)
    if claim is None:
        return ""
    said, answers = words.common.hints, claim.line[1:2]
    moved = {
        source: target
        for step in claim.line[0].steps
        for source, target in zip(step.source, step.target, strict=False)
    }
    text = words.fill(
        _template(_loss_key(claim, words), words),
        move=move,
        piece=_pieces(claim, [moved.get(each, each) for each in claim.places], words),
        other=words.pieces(claim.given),
        count=claim.count or claim.points,
    )
    if not answers:
        return words.fill(said["told"], said=text)
    is_told = any(claim.ending.startswith(f"{kind}-") for kind in _removed(answers[0]))
    has_reason = claim.count == 1 and claim.ending and not is_told and f"lost-{claim.ending}" not in said
    return words.fill(
        said["by-end" if has_reason else "by"],
        said=text,
        moves=named(answers[0], words),
        ending=words.termination(claim.ending) if claim.ending else "",
    )


def _removed(move: WrittenMove) -> set[str]:
    """The kinds of the pieces that *move* takes or destroys, as its clause says."""
    return {step.piece.kind for step in move.steps if not step.target or step.piece.pose != step.becomes.pose}


def _loss_key(claim: WrittenClaim, words: Words) -> str:
    """The key of what is lost by *claim*."""
    if claim.count > 1:
        return "lost-in"
    if claim.count:
        own = f"lost-{claim.ending}"  # "mate" is more than "the game is lost"
        return own if own in words.common.hints else "lost"
    return "loses-for" if claim.given else "loses"


def _capital(text: str) -> str:
    """*text* as the beginning of a sentence."""
    return text[:1].upper() + text[1:]
