# SPDX-License-Identifier: Apache-2.0
"""The reasons of a decision in words, in every language."""

from __future__ import annotations

from dataclasses import fields
from importlib import resources

import pytest

from companion import games
from companion.feedback.account import lines, why_asked, why_illegal, why_retracted
from companion.feedback.wordfiles import languages, read_common
from companion.feedback.words import Words, load
from companion.model.pieces import Piece
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.account import EARLIER, Account, Story, account
from companion.referee.inference.tracker.segment import Charge
from companion.referee.session.session import Session
from companion.referee.values.events import IllegalSeen, MoveRetracted
from tests.fakes import FakeTable

CHESS = games.find("chess").rules()
GRID = CHESS.grid
PLY = Charge("ply.base", 3.0)
LYING = Charge("piece.lying", 9.0, GRID.cell("b3"))
STOP = Charge("piece.stop", 1.0, GRID.cell("e3"))


def words(language: str = "en") -> Words:
    return load(language, "chess", CHESS.sides)


def story(moves: str = "", *charges: Charge, begun: str = "") -> Story:
    """A story of *moves*: a word for each ply, strokes between moves alike."""
    plies = tuple(tuple(ply.split("/")) for ply in moves.split())
    return Story(plies, (begun,) if begun else (), charges)


@pytest.mark.parametrize("language", languages())
def test_every_cause_has_words_and_no_words_are_left_over(language: str) -> None:
    folder = resources.files("companion.referee.inference.tracker")
    source = "".join(each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".py"))
    rows = {field.name.replace("_", ".", 1) for field in fields(Costs)}
    charged = {row for row in rows if f'"{row}"' in source}
    assert set(read_common(language).causes) == {*charged, EARLIER}


def test_causes_are_listed_with_their_cells_the_cheapest_first() -> None:
    tries = [Charge("piece.try", 6.0, GRID.cell(name)) for name in ("a5", "b5")]
    found = lines(Account(0, story("e4", PLY, STOP, *tries), story(begun="e3")), words(), GRID)
    assert found == [
        "1. e4: 16.0 nats",
        "   a rest on the way – e3 – 1.0",
        "   one more ply – 3.0",
        "   an empty cell touched and left – a5, b5 – 12.0",
        "2. e3 …: 0.0 nats",
    ]


def test_many_small_causes_share_a_line() -> None:
    many = [
        Charge(cause, nats)
        for nats, cause in enumerate(("piece.pass", "piece.stop", "ply.base", "piece.back", "piece.try"), 1)
    ]
    found = lines(Account(0, story("e4", *many), None), words(), GRID)
    assert found[1:] == [
        "   2 smaller causes – 3.0",
        "   one more ply – 3.0",
        "   the piece put back and lifted again – 4.0",
        "   an empty cell touched and left – 5.0",
        "Every other story costs too much to be kept.",
    ]


def test_the_sentence_of_an_illegal_move_says_what_happened_and_what_is_against_a_legal_one() -> None:
    found = Account(0, story("", LYING), story("", PLY, STOP, Charge("order.missing", 16.0), begun="Na3"))
    assert why_illegal(found, words(), GRID) == (
        "What happened, most likely: a piece where the move puts none (b3); "
        "against Na3 … speaks: no report from a cell of the move."
    )
    assert why_illegal(found._replace(rival=None), words(), GRID) == (
        "What happened, most likely: a piece where the move puts none (b3); no legal move comes near."
    )
    begun = Account(0, story("", PLY, LYING, begun="Na3"), None)
    assert why_illegal(begun, words(), GRID) == (
        "The likeliest legal move is Na3 …; against it speaks: a piece where the move puts none (b3)."
    )


def test_the_sentence_of_a_question_names_what_cannot_be_told_apart() -> None:
    same = Account(0, story("a8=Q/a8=R", PLY), None)
    assert why_asked(same, words()) == "a8=Q and a8=R leave the same trace."
    near = Account(0, story("e4", PLY), story("e3", PLY, STOP))
    assert why_asked(near, words()) == (
        "e4 and e3 explain the board almost equally well: they differ by 1.0 nats."
    )
    alone = Account(0, story("e4", PLY), None)
    assert why_asked(alone, words()) == "The sensors cannot show whether e4 was played."


def test_the_sentence_of_a_retracted_move_says_what_made_it_unlikely() -> None:
    found = Account(0, story("e4", PLY, STOP), story("e3", PLY, LYING))
    assert why_retracted(found, "e3", words(), GRID) == (
        "e4 explains the board better; against e3 speaks: a piece where the move puts none (b3)."
    )
    assert why_retracted(found, "d3", words(), GRID) == "e4 explains the board better than d3."
    back = Account(0, story(), None)
    assert why_retracted(back, "e3", words(), GRID) == "The board shows the position before e3 again."


@pytest.mark.parametrize("language", languages())
def test_every_language_has_all_sentences(language: str) -> None:
    said = words(language)
    found = Account(0, story("e4", PLY, STOP), story("e3", PLY, LYING))
    texts = {
        *lines(found, said, GRID),
        why_illegal(found, said, GRID),
        why_asked(found, said),
        why_retracted(found, "e3", said, GRID),
    }
    assert len(texts) == 8
    assert not any("{" in text for text in texts)


def played(trace: str) -> FakeTable:
    """A chess board after *trace*: times in ms, cells that open (-) and close (+)."""
    table = FakeTable(CHESS, session=Session(CHESS))
    table.set_up()
    steps, hand = trace.split(), list[Piece]()
    for ms, what in zip(steps[::2], steps[1::2], strict=True):
        table.wait(int(ms))
        if what[0] == "-":
            hand.append(table.lift(what[1:]))
        else:
            table.put(what[1:], hand.pop())
    table.wait(1500)
    return table


def test_the_sentence_of_an_illegal_move_at_a_table_names_both_cells() -> None:
    table = played("100 -b1 300 +b3")
    assert any(isinstance(event, IllegalSeen) for event in table.history)
    belief = table.session.belief
    assert why_illegal(account(belief, belief.ply, shares_earlier=True), words(), GRID) == (
        "What happened, most likely: a piece lifted that does not belong to the move (b1), "
        "a held piece touched another cell (b3); no legal move comes near."
    )


def test_the_sentence_of_a_move_that_went_on_at_a_table_names_what_replaced_it() -> None:
    table = played("100 -b1 300 +c3 1200 -c3 300 +b1")
    retracted = [event for event in table.history if isinstance(event, MoveRetracted)]
    assert [event.move for event in retracted] == ["Nc3"]
    found = account(table.session.belief, 0, "Nc3")
    assert why_retracted(found, "Nc3", words(), GRID) == "The board shows the position before Nc3 again."
