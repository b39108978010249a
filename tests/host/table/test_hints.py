# SPDX-License-Identifier: Apache-2.0
"""A hint is shown as long as its position stands, and its key is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from companion.feedback import lights, page, text, voice
from companion.feedback.hints import advised, merits, review
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.table.layers.hints import Hints
from companion.model.absent import PlayedBy
from companion.model.advice import Advice, AdviceKind, HintStage
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.game import CallOut
from companion.model.observation import OCCUPIED, Change, Observation, Press, Sightings
from companion.model.pieces import Piece
from companion.model.written_move import WrittenMove, WrittenStep, written_move
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.host.tables import Kept, play, rig_for

SWORD, SPEAR = Piece("sword", 0), Piece("spear", 1)


def lit(image: Sequence[int], meaning: lights.Meaning) -> list[int]:
    return [cell for cell, colour in enumerate(image) if colour == lights.index_of(meaning)]


def test_a_hint_lights_its_cells_until_the_position_changes() -> None:
    rig = rig_for(Kept())
    pipeline = rig.pipeline
    a1, b2 = map(pipeline.session.rules.grid.cell, ("a1", "b2"))
    rules, position = pipeline.session.rules, pipeline.session.position
    move = written_move(rules, position, rules.read_move(position, "a1-b2"))
    hint = Advice(AdviceKind.HINT, pipeline.view.position, (a1,), move=move, stage=HintStage.PIECE)
    pipeline.advise(hint)
    rig.exchange()
    assert lit(rig.panel.device.lamps.image, lights.Meaning.HINT_FROM) == [a1]
    assert rig.panel.lines[0] == "Hint: a1"
    pipeline.advise(replace(hint, target=(b2,), cries=(CallOut.CHECK,), stage=HintStage.REASON))
    rig.exchange()
    assert lit(rig.panel.device.lamps.image, lights.Meaning.HINT_TO) == [b2]
    words = load("en", "close-quarters", ("sword", "weapons"))
    said = "Hint: the Sword goes from a1 to b2. CHECK!"
    assert page.render(Shown(pipeline.view), words)["notices"] == [said]
    assert voice.render(pipeline.view, words)[0].text == said
    play(rig, "a1-b2")
    assert pipeline.view.advice is None
    assert pipeline.view.gives_hints


def test_advice_for_another_position_is_not_shown() -> None:
    rig = rig_for(Kept())
    rig.pipeline.advise(Advice(AdviceKind.HINT, "another position", (0,)))
    assert rig.pipeline.view.advice is None
    assert "hint" in page.commands(rig.pipeline.view)


def test_without_a_coach_there_is_no_hint_command() -> None:
    assert "hint" not in page.commands(rig_for(Kept()).pipeline.view)


def test_a_warning_blinks_under_the_piece_before_the_move_is_announced() -> None:
    rig = rig_for(Kept())
    pipeline = rig.pipeline
    cells = pipeline.session.rules.grid.cell
    rig.become(rig.pieces.lift(cells("a1")))
    rig.advance(100)
    rig.become(rig.pieces.drop(cells("b2")))
    rig.advance(200)
    assert [move.stage for move in pipeline.view.record] == [Stage.PROVISIONAL]
    pipeline.advise(Advice(AdviceKind.WARNING, pipeline.view.position, (), (cells("b2"),)))
    rig.exchange()
    assert lit(rig.panel.device.lamps.image, lights.Meaning.WARNING) == [cells("b2")]
    assert rig.panel.lines[0] == "Careful: loses"


def test_the_first_button_that_belongs_to_no_side_is_the_hint_key() -> None:
    hints = rig_for(Kept()).pipeline.layers.hints
    change = Change(3, 0, OCCUPIED)
    seen = Observation(4, (Press(1, 2), Press(2, 1), change), Sightings(1), 4)
    assert hints.withhold(seen).inputs == (Press(2, 1), change)
    assert hints.presses == 1
    same = Observation(9, (Press(8, 0),), Sightings(1), 9)
    assert hints.withhold(same) is same


@pytest.mark.parametrize(("quarters", "button"), [(0, 1), (2, 0)])
def test_the_button_of_a_side_that_the_computer_plays_is_a_hint_key(quarters: int, button: int) -> None:
    """A board turned by half exchanges the buttons."""
    pipeline = rig_for(Kept()).pipeline
    rotation = Rotation.of(pipeline.session.rules.grid, quarters, 2)
    view, hints = pipeline.view, Hints(pipeline.view, lambda: rotation)
    hints.are_given = True
    own, other = (Observation(2, (Press(1, each),), Sightings(1), 2) for each in (1 - button, button))
    hints.played = replace(view, played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER))
    assert hints.withhold(own) is own
    assert hints.withhold(other).inputs == ()
    assert hints.presses == 1
    changes: tuple[dict[str, Any], ...] = (
        {"decider": 1},  # the computer thinks
        {"phase": Phase.CARRYING_OUT},  # a press says that its move is made
        {"clock_start": 1},  # a press starts the clocks
        {"played_by": (PlayedBy.TABLE, PlayedBy.ELSEWHERE)},
        {"played_by": (PlayedBy.TABLE, PlayedBy.TABLE)},
    )
    for changed in changes:
        hints.played = replace(view, **{"played_by": (PlayedBy.TABLE, PlayedBy.COMPUTER), **changed})
        assert hints.withhold(other) is other, changed


def moved(piece: Piece, source: str, target: str) -> WrittenMove:
    """A piece moves."""
    step = WrittenStep(piece, piece, (source,), (target,))
    return WrittenMove(f"{source}-{target}", piece.side or 0, (step,))


LINE = (moved(SWORD, "a1", "b2"), moved(SPEAR, "d8", "d7"), moved(SWORD, "b2", "b3"))
MERITS = (
    *(WrittenClaim(ClaimKind.MATE, count=count, line=LINE) for count in (1, 5)),
    WrittenClaim(ClaimKind.WINS, (SPEAR,), line=LINE[:1]),
    WrittenClaim(ClaimKind.WINS, (SPEAR, SWORD), line=LINE),
    WrittenClaim(ClaimKind.WINS, (SPEAR, SPEAR), (SWORD,), line=LINE),
    WrittenClaim(ClaimKind.ONLY_MOVE, line=LINE[:1]),
    *(
        WrittenClaim(kind, (SWORD,), cells=(0,), line=LINE, places=("a1",))
        for kind in (ClaimKind.DEFENDS, ClaimKind.ESCAPES)
    ),
    *(WrittenClaim(ClaimKind.THREATENS, each, line=LINE[:1], threat=LINE[2]) for each in ((SPEAR,), ())),
    WrittenClaim(ClaimKind.REACHES, (SWORD,), cells=(0,), line=LINE),
    *(WrittenClaim(ClaimKind.DRAW, line=LINE, ending=each) for each in ("", "stalemate")),
)
MISTAKES = (
    *(WrittenClaim(ClaimKind.REFUTED, each, line=LINE) for each in ((SPEAR,), (SPEAR, SWORD))),
    WrittenClaim(ClaimKind.REFUTED, (SPEAR,), (SWORD, SWORD), line=LINE),
    *(
        WrittenClaim(ClaimKind.REFUTED, count=1, line=LINE, ending=each)
        for each in ("sword-eliminated", "checkmate")
    ),
    *(WrittenClaim(ClaimKind.REFUTED, count=count, line=LINE) for count in (2, 5)),
)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", AdviceKind)
def test_every_claim_can_be_said(language: str, kind: AdviceKind) -> None:
    rig = rig_for(Kept())
    words = load(language, "close-quarters", ("sword", "weapons"))
    claimed = [(each,) for each in (*MERITS, *MISTAKES)]
    sentences = set()
    for said in ((), *claimed, MERITS):
        for move, stage in ((None, HintStage.PIECE), *((LINE[0], stage) for stage in HintStage)):
            view = rig.pipeline.view
            advice = Advice(kind, view.position, (), (), said, tuple(CallOut), move, stage, 3)
            shown = view.with_advice(advice)
            (sentence,) = page.render(Shown(shown), words)["notices"]
            assert "{" not in sentence
            assert all(len(line) <= 16 for line in text.render(shown, words))
            sentences.add((said, sentence))
    merits = {sentence for said, sentence in sentences if said and said[0] in MERITS}
    mistakes = {sentence for said, sentence in sentences if said and said[0] in MISTAKES}
    assert len(merits) > len(MERITS) if kind is AdviceKind.HINT else len(merits) == 1
    assert len(mistakes) == len(MISTAKES) or kind is not AdviceKind.WARNING


def test_pieces_of_one_kind_are_said_with_their_number() -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    assert words.pieces((SPEAR, SWORD, SPEAR)).the == "the Spear (2) and the Sword"
    assert words.pieces((SPEAR,)) == words.piece(SPEAR)


ANSWER = "the Spear goes from d8 to d7"


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ((), "There is a better move."),
        (MISTAKES[:1], f"This loses the Spear: {ANSWER}."),
        ((MISTAKES[2],), f"This loses the Spear for the Sword (2): {ANSWER}."),
        ((MISTAKES[3],), f"This loses the game: {ANSWER} (the Sword is eliminated)."),
        ((MISTAKES[4],), f"This allows mate: {ANSWER}."),
        ((MISTAKES[5],), f"This loses the game in 2 moves at most: {ANSWER}."),
        ((replace(MISTAKES[0], line=LINE[:1]),), "This loses the Spear."),
        (MERITS[2:3], "There is a better move."),
    ],
)
def test_a_warning_says_what_is_lost_if_that_is_verified(claims: tuple[WrittenClaim, ...], said: str) -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    assert advised(Advice(AdviceKind.WARNING, "", (), (1,), claims), words) == f"Careful! {said}"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (replace(MERITS[2], line=LINE[:2]), f"This wins the Spear. Best answer: {ANSWER}."),
        (
            replace(MERITS[2], line=LINE[:2], places=("d8",)),
            f"This wins the Spear on d8. Best answer: {ANSWER}.",
        ),
        (
            MERITS[3],
            f"This wins the Spear and the Sword. Best answer: {ANSWER}; then the Sword goes from b2 to b3.",
        ),
        (MERITS[6], "This saves the Sword on a1."),
        (MERITS[7], "Until now the Sword on a1 could be captured."),
        (MERITS[8], "This threatens to capture the Spear."),
        (replace(MERITS[8], places=("d5",)), "This threatens to capture the Spear on d5."),
    ],
)
def test_a_hint_says_why_and_how(claim: WrittenClaim, said: str) -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    hint = "Hint: the Sword goes from a1 to b2."
    assert advised(Advice(AdviceKind.HINT, "", claims=(claim,), move=LINE[0]), words) == f"{hint} {said}"


def test_a_hint_of_which_nothing_is_verified_claims_nothing() -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    why = "It wins nothing at once; of the moves that were tried it leads to the best position."
    hint = "Hint: the Sword goes from a1 to b2"
    assert advised(Advice(AdviceKind.HINT, "", move=LINE[0]), words) == f"{hint}. {why}"
    taking = replace(LINE[0], steps=(*LINE[0].steps, WrittenStep(SPEAR, SPEAR, ("b2",))))
    said = f"{hint} and captures the Spear."
    why = "Of the moves that were tried it leads to the best position."
    assert advised(Advice(AdviceKind.HINT, "", move=taking), words) == f"{said} {why}"
    assert advised(Advice(AdviceKind.HINT, "", claims=MERITS[2:3], move=taking), words) == f"{said} {why}"


def test_a_drawn_game_is_a_reason_only_without_another_one() -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    drawn = MERITS[-2]
    assert [*merits((drawn,), words, is_told=True)] == ["With best play nobody can force a win."]
    assert [*merits((drawn, MERITS[6]), words, is_told=True)] == ["This saves the Sword on a1."]


def test_the_rule_that_ends_a_game_is_not_said_twice() -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    taken = replace(LINE[1], steps=(*LINE[1].steps, WrittenStep(SWORD, SWORD, ("d7",))))
    claim = replace(MISTAKES[3], line=(LINE[0], taken))
    said = advised(Advice(AdviceKind.WARNING, "", claims=(claim,)), words)
    assert said == f"Careful! This loses the game: {ANSWER} and captures the Sword."


def test_a_lost_piece_is_named_where_its_move_has_brought_it() -> None:
    words = load("en", "close-quarters", ("sword", "weapons"))
    claim = WrittenClaim(ClaimKind.REFUTED, (SWORD,), line=LINE, places=("a1",))
    said = advised(Advice(AdviceKind.WARNING, "", claims=(claim,)), words)
    assert said == f"Careful! This loses the Sword on b2: {ANSWER}."


def test_in_martian_chess_points_are_won_and_lost() -> None:
    words = load("en", "martian-chess", ("player-1", "player-2"))
    queen = Piece("queen")
    line = (moved(queen, "a6", "a3"), moved(queen, "a3", "d6"))
    lost = WrittenClaim(ClaimKind.REFUTED, (queen,), places=("a6",), points=3, line=line)
    said = "This lets the opponent score 3 points: the Queen goes from a3 to d6."
    assert advised(Advice(AdviceKind.WARNING, "", claims=(lost,)), words) == f"Careful! {said}"
    won = WrittenClaim(ClaimKind.WINS, (queen,), points=3, line=line[:1])
    assert [*merits((won,), words, is_told=True)] == ["This scores 3 points."]
    threat = WrittenClaim(
        ClaimKind.THREATENS, (queen,), places=("d6",), points=3, line=line[:1], threat=line[1]
    )
    assert [*merits((threat,), words, is_told=True)] == [
        "This threatens to capture the Queen on d6 (3 points)."
    ]


def test_a_review_begins_with_the_refutation_if_that_is_proven() -> None:
    words = load("en", "chess", ("white", "black"))
    blunder, better, mate = (WrittenMove(text, 0, is_named=True) for text in ("Nf6", "g6", "Qxf7#"))
    mated = WrittenClaim(ClaimKind.REFUTED, count=1, line=(blunder, mate), ending="checkmate")
    merit = WrittenClaim(ClaimKind.ONLY_MOVE, line=(better,))
    assert review(blunder, (mated,), better, (merit,), words) == (
        "Nf6 allows mate: Qxf7#. Better: g6. Every other move loses pieces or the game."
    )
    assert review(blunder, (merit,), better, (), words) == "There was a better move than Nf6: g6."
