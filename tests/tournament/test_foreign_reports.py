# SPDX-License-Identifier: Apache-2.0
"""Reports of other programs (TRF(x) of the JaVaFo manual), also between rounds.

What is read, and what is reported as skipped.
"""

import pytest

from companion.tournament.event import Event
from companion.tournament.pairing import next_round
from companion.tournament.trf import write_trf
from companion.tournament.trf_left_out import announced_byes, follow_on, left_out
from companion.tournament.trf_reader import read_trf
from companion.tournament.values import DRAW, LOSS, WIN, Bye, Format, Pairing, Tournament
from tests.tournament.test_pairing import by_chance, played_on, tournament
from tests.tournament.test_teams import event

OPEN = """012 Summer Open
022 Zagreb
032 CRO
042 2026/07/01
062 8
092 Individual: Swiss-System
102 IA Ana Arbiter (12345678)
112
122 90 min
XXR 5
XXC white1
001    1 m  g Alpha, Ana                        2400 CRO    14500001 1990        2.5    1     5 w 1     2 b =     4 w 1
001    2 w wm Beta, Ben                         2300 CRO    14500002 1991/02/03  2.5    2     6 b 1     1 w =     5 b 1
001    3 m    Gamma, Cleo                       2200 GER           0             1.5    4     7 w 1     4 b 0  0000 - H  0000 - Z
001    4 m    Delta, Dan                        2100                             2.0    3     8 b +     3 w 1     1 b 0
001    5      Epsilon, Eva                      2000                             1.0    5     1 b 0     6 w 1     2 w 0
001    6      Zeta, Finn                        1900                             0.5    7     2 w 0     5 b 0     7 w =  0000 - =
001    7      Eta, Gil                          1800                             1.5    6     3 b 0  0000 - U     6 b =
001    8      Theta, Hal                           0                             0.0    8     4 w -
013 Chess Club Zagreb                  1    2
XXZ 3
XXP 1 2
XXP 3 4
"""


def fresh(of: Tournament, rounds: int = 5) -> Tournament:
    """A Swiss with the players of *of*."""
    return Tournament("Mine", Format.SWISS, "chess", planned=rounds, players=of.players, boards=of.boards)


def told(text: str, of: Tournament) -> list[str]:
    """What is said when the report *text* is entered into *of*."""
    return [note.sentence() for note in left_out(of, read_trf(text))]


def test_a_report_between_rounds_is_read_with_players_rounds_and_next_byes() -> None:
    report = read_trf(OPEN).value
    assert [(player.title, player.licence, player.team) for player in report.players[:3]] == [
        ("GM", "14500001", "Chess Club Zagreb"),
        ("WIM", "14500002", "Chess Club Zagreb"),
        ("", "", ""),
    ]
    assert report.boards == 0, "an individual event, whatever teams it names"
    taken = follow_on(fresh(report), report)
    assert [each.number for each in taken] == [1, 2, 3]
    assert Pairing(4, (8, 4), (LOSS, WIN), is_forfeit=True) in taken[0].pairings
    assert set(taken[1].byes) == {(7, Bye.ALLOCATED), (8, Bye.ZERO)}
    assert set(taken[2].byes) == {(3, Bye.HALF), (8, Bye.ZERO)}
    assert announced_byes(report, 3) == ((4, 3, Bye.ZERO), (4, 6, Bye.HALF))
    of = fresh(report)
    for each in taken:
        of = of.paired(each)
    for number, player, bye in announced_byes(report, 3):
        of = of.excused(player, number, bye)
    assert {player for pairing in next_round(of).pairings for player in pairing.players} == {1, 2, 4, 5, 7, 8}


def test_skipped_parts_of_a_report_are_named_with_line_and_reason() -> None:
    report = read_trf(OPEN).value
    assert told(OPEN, fresh(report)) == [
        "line 11: the line (XXC) is left out: the pairing has no such choice here",
        "line 21: the line (XXZ) is left out: excuse these players by hand",
        "line 22: the line (XXP) is left out: the pairing has no such choice here",
    ]
    assert report.event == Event(
        "Zagreb", "CRO", "2026/07/01", arbiter="IA Ana Arbiter (12345678)", time_control="90 min"
    )
    ours = write_trf(played_on(tournament(6, rounds=3), by_chance(1), 2))
    assert told(ours, fresh(read_trf(ours).value)) == []


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (Tournament("Cup", Format.KNOCKOUT, "chess"), "only a Swiss system of two at a table goes on"),
        (tournament(9), "others have entered, or rounds are paired already"),
        (event(4, boards=2), "its teams meet on another number of boards"),
    ],
)
def test_the_reason_for_skipping_all_rounds_is_named(of: Tournament, reason: str) -> None:
    report = read_trf(OPEN).value
    assert follow_on(of, report) == ()
    (note,) = (note for note in told(OPEN, of) if note.startswith("round"))
    assert note.startswith(f"round 1 of the report is not taken: {reason}")


@pytest.mark.parametrize("game", ["     7 w  ", "          "])
def test_a_round_with_an_unfinished_game_is_skipped_and_the_player_named(game: str) -> None:
    text = OPEN.replace("     7 w =  0000 - =", game).replace("     6 b =", game.replace("7 w", "6 b"))
    report = read_trf(text).value
    assert [each.number for each in follow_on(fresh(report), report)] == [1, 2]
    assert "line 17: round 3 of the report is not taken: there is no result of Zeta, Finn" in told(
        text, fresh(report)
    )
    assert announced_byes(report, 2) == ()


def test_a_player_numbered_out_of_rating_order_is_named() -> None:
    text = OPEN.replace("Gamma, Cleo                       2200", "Gamma, Cleo                          0")
    assert "line 14: Gamma, Cleo is ranked by rating here, not by the number" in told(
        text, fresh(read_trf(text).value)
    )


def test_two_teams_make_a_team_event_if_the_report_names_no_kind() -> None:
    silent = OPEN.replace("092 Individual: Swiss-System\n", "")
    assert read_trf(silent).value.boards == 0
    ours = write_trf(event(2, boards=2))
    assert read_trf(ours.replace("092 Team: Swiss-System (Dutch)\n", "")).value.boards == 3
    alone = read_trf(ours.replace("092 Team: Swiss-System (Dutch)", "092 individual swiss")).value
    assert alone.boards == 0
    assert {player.team for player in alone.players} == {"A", "B"}


def test_a_win_and_a_draw_are_read_with_their_points() -> None:
    (first, *_), (second, *_) = (each.pairings for each in read_trf(OPEN).value.rounds[:2])
    assert (first.points, second.points) == ((WIN, LOSS), (DRAW, DRAW))


NEWER = (
    OPEN.replace("XXR 5\nXXC white1\n", "142 5\n202 BH/C1,SB/C1,WIN,OTHER_LOTS\n162  W 3.0     D 1.0\n")
    .replace("013 Chess Club", "GER    3 m  FM Gamma, Cleo                       2250\n013 Chess Club")
    .replace(
        "XXZ 3\nXXP 1 2\nXXP 3 4\n",
        "240 H   5    1    4\n250       1.0   1   2    1    4\n260   1   5    1    2\n",
    )
)
"""The same as a TRF26 of another program."""


def test_a_newer_report_is_read_with_its_tie_breaks_and_the_byes_of_later_rounds() -> None:
    report = read_trf(NEWER).value
    assert report.tie_breaks == ("buchholz-cut-1", "sonneborn-berger-cut-1", "wins")
    assert report.player(1).bye_in(5) is report.player(4).bye_in(5) is Bye.HALF
    assert report.player(2).bye_in(5) is None
    notes = told(NEWER, fresh(report))
    assert [note.partition(" is left out: ")[2] or note for note in notes] == [
        "line 11: tie-breaks that are not known here are left out: OTHER_LOTS",
        "a game brings 1, ½ or 0 points here",
        "national ratings come from a rating list",
        "acceleration is chosen when the tournament is announced",
        "the pairing has no such choice here",
        "the report has other tie-breaks than Mine: BH/C1, SB/C1, WIN",
    ]


def test_byes_of_later_rounds_are_written_and_read_back() -> None:
    of = played_on(tournament(6, rounds=5), by_chance(1), 2)
    of = of.excused(3, 4, Bye.HALF).excused(5, 4, Bye.HALF).excused(6, 5, Bye.ZERO)
    text = write_trf(of)
    assert [line for line in text.splitlines() if line.startswith("240")] == [
        "240 H   4    3    5",
        "240 Z   5    6",
    ]
    assert [player.excused for player in read_trf(text).value.players] == [
        player.excused for player in of.players
    ]
