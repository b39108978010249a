# SPDX-License-Identifier: Apache-2.0
"""The judge of the campaign of kills finds what is lost or doubled."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.bench.kill_judge import (
    Consent,
    Game,
    Shown,
    changed_entries,
    different_copies,
    game_in,
    gaps,
    lost_moves,
    missing_acts,
    missing_results,
    replaced_games,
)
from tests.bench.kills import Tally, run
from tests.brokers import PROGRAM

MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5")


def lines(*entries: dict[str, Any], order: str = "") -> str:
    header = {"format": 2, "order": order} if order else {"format": 2}
    return "".join(json.dumps(each) + "\n" for each in ({**header}, *entries))


def made(ply: int, stage: str = "announced") -> dict[str, Any]:
    return {"is": "MoveMade", "ply": ply, "move": MOVES[ply], "stage": stage}


def book(*acts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"number": number, "act": act} for number, act in enumerate(acts, 1)]


def record(plies: int, provisional: int = 0) -> list[dict[str, Any]]:
    last = plies - provisional
    return [
        {"move": MOVES[ply], "stage": "announced" if ply < last else "provisional"} for ply in range(plies)
    ]


def test_a_move_that_the_page_announced_and_no_journal_has_is_lost() -> None:
    shown = Shown()
    for plies in (1, 2, 3):
        shown.add("red", record(plies))
    assert shown.records == {"red": [MOVES[:3]]}
    whole = game_in("a", lines(*map(made, range(3))))
    assert lost_moves("red", shown.records["red"], [whole]) == []
    short = game_in("a", lines(made(0), made(1), made(2, "provisional")))
    (fault,) = lost_moves("red", shown.records["red"], [short])
    assert "lost: Nf3 after 2 plies" in fault
    other = game_in("b", lines(made(0)))
    assert lost_moves("red", shown.records["red"], [short, other]), "moves of a game stay in its journal"
    assert lost_moves("red", shown.records["red"], []), "the journal is gone"


def test_a_provisional_move_may_vanish() -> None:
    shown = Shown()
    assert shown.add("red", record(3, provisional=1)) == MOVES[:2]
    assert lost_moves("red", shown.records["red"], [Game("a", moves=MOVES[:2])]) == []


def test_a_move_that_the_table_took_back_is_not_lost() -> None:
    text = lines(made(0), made(1), {"is": "MoveRetracted", "ply": 1, "stage": "announced"})
    assert lost_moves("red", [MOVES[:2]], [game_in("a", text)]) == []


def test_a_move_that_is_announced_twice_or_a_game_in_two_journals_is_doubled() -> None:
    twice = game_in("a", lines(made(0), made(1), made(1)))
    (fault,) = lost_moves("red", [], [twice])
    assert "doubled: ply 1" in fault
    games = [Game("a", moves=MOVES), Game("b", moves=MOVES)]
    (fault,) = lost_moves("red", [], games)
    assert fault == "red: doubled: e4 e5 Nf3 Nc6 Bb5"


def test_the_last_line_of_a_journal_may_be_torn_and_no_other() -> None:
    text = lines(made(0), made(1))
    assert game_in("a", text + '{"is":"MoveM').moves == MOVES[:2]
    assert game_in("a", text + '{"is":"MoveM').faults == ()
    assert game_in("a", text.replace('"e4"', '"e4')).faults == ("a: line 2 cannot be read",)


@pytest.mark.parametrize(
    ("order", "consents", "reason"),
    [
        ({"journal": "a", "ply": 3}, [Consent("red", 0)], ""),
        ({"journal": "a", "ply": 2}, [Consent("red", 0)], "was given after 2 plies"),
        ({"journal": "z", "ply": 3}, [Consent("red", 0)], "was about 'z'"),
        ({"journal": "a", "ply": 3}, [Consent("blue", 0)], "nobody said yes"),
        ({"journal": "a", "ply": 3}, [Consent("red", 1)], "nobody said yes"),
        (None, [Consent("red", 0)], "no order began it"),
    ],
)
def test_a_game_under_way_is_replaced_by_an_order_that_knew_it_and_a_yes(
    order: dict[str, Any] | None, consents: list[Consent], reason: str
) -> None:
    games = [Game("a", moves=MOVES[:3]), Game("b", order="x")]
    acts = [] if order is None else [{"is": "Ordered", "board": "red", "order": "x", **order}]
    found = replaced_games("red", games, book(*acts), consents)
    assert [reason in fault for fault in found] == ([True] if reason else [])
    ended = [Game("a", moves=MOVES[:3], winners=(0,)), games[1]]
    assert replaced_games("red", ended, [], []) == []


def test_an_acknowledged_act_that_the_book_lacks_or_has_twice_is_found() -> None:
    acts = [{"is": "Noted", "text": "note 1"}]
    entry = {"is": "Noted", "text": "note 1", "more": [1]}
    assert missing_acts(acts, book(entry)) == []
    assert "0 times" in missing_acts(acts, book({"is": "Noted", "text": "note 2"}))[0]
    assert "2 times" in missing_acts(acts, book(entry, entry))[0]


def test_gaps_and_changes_of_the_book_are_found() -> None:
    entries = book({"is": "Noted", "text": "1"}, {"is": "Noted", "text": "2"})
    assert gaps(entries) == []
    assert gaps(entries[1:])
    assert gaps([entries[0], entries[0]])
    assert changed_entries(entries, entries) == []
    assert len(changed_entries(entries, entries[:1])) == 1
    assert len(changed_entries(entries, book(entries[0]["act"], {"is": "Noted", "text": "3"}))) == 1


def test_a_result_that_did_not_reach_the_book_is_found() -> None:
    game = game_in("a", lines(made(0), {"is": "GameEnded", "outcome": {"winners": [1]}}, order="x"))
    place = {"key": "club", "round": 1, "table": 2}
    given = {"is": "TableGiven", "order": "x", **place}
    told = {"is": "ResultTold", "points": [0, 2], **place}
    assert missing_results([game], book(given, told)) == []
    assert missing_results([game], book(given, {**told, "table": 1}))
    assert missing_results([game], book(given))
    assert missing_results([Game("a", order="x", moves=MOVES)], book(given)) == []


def test_a_copy_that_lacks_a_move_or_differs_is_found() -> None:
    whole = lines(made(0), made(1)).encode()
    assert different_copies("red", {"a": whole + b"{}\n"}, {"a": whole}) == []
    assert "lacks e5" in different_copies("red", {"a": whole}, {"a": lines(made(0)).encode()})[0]
    assert "lacks e4 e5" in different_copies("red", {"a": whole}, {})[0]
    assert "others" in different_copies("red", {"a": whole}, {"a": whole.replace(b"e5", b"d5")})[0]


def test_a_tally_with_a_loss_is_bad_and_says_it() -> None:
    assert not Tally(1).is_bad
    tally = Tally(1, lost=["red: lost: e4"])
    assert tally.is_bad
    assert "lost: red: lost: e4" in tally.details()
    assert "lost or doubled                     1" in tally.table()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_nothing_is_lost_to_a_few_kills() -> None:
    if PROGRAM is None:
        pytest.skip("Mosquitto is missing: apt-get install mosquitto")
    with tempfile.TemporaryDirectory() as folder:  # the database's user may not enter pytest's
        tally = run(8, 2, 5, Path(folder))
    assert not tally.is_bad, tally.details()
    assert tally.kills.total() == 8
    assert tally.checks == 1
    assert tally.moves > 50
    assert tally.acts > 10
