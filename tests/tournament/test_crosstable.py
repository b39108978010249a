# SPDX-License-Identifier: Apache-2.0
"""Cross tables of players and teams: all against all, or by round."""

from companion.tournament.crosstable import SELF, cross_table
from companion.tournament.pairing import next_round
from companion.tournament.values import DRAW, LOSS, WIN, Bye, Format
from tests.tournament.test_pairing import played_on, the_better_wins, tournament
from tests.tournament.test_teams import event, the_better_team_wins


def test_a_round_robin_has_a_cell_for_each_pair() -> None:
    of = played_on(tournament(3, Format.DOUBLE_ROUND_ROBIN), the_better_wins, 6)
    table = cross_table(of)
    assert table.heads == ("1", "2", "3")
    assert [line.player.name for line in table.lines] == ["P1", "P2", "P3"]
    assert table.cells == ((SELF, "1 1", "1 1"), ("0 0", SELF, "1 1"), ("0 0", "0 0", SELF))


def test_each_round_of_a_swiss_has_opponent_colour_and_result() -> None:
    of = tournament(5).excused(4, 1, Bye.HALF)
    of = (
        of.paired(next_round(of))
        .with_result(1, 1, (DRAW, DRAW))
        .with_result(1, 2, (WIN, LOSS), is_forfeit=True)
    )
    table = cross_table(of)
    by_name = {line.player.name: cells for line, cells in zip(table.lines, table.cells, strict=True)}
    place = {line.player.name: rank for rank, line in enumerate(table.lines, 1)}
    first, second = (of.player(number).name for number in of.rounds[0].pairings[0].players)
    assert by_name[first] == (f"{place[second]}w½",)
    assert by_name[second] == (f"{place[first]}b½",)
    winner, loser = (of.player(number).name for number in of.rounds[0].pairings[1].players)
    assert by_name[winner] == (f"{place[loser]}w+",)
    assert by_name[loser] == (f"{place[winner]}b−",)
    assert by_name["P4"] == ("=",)


def test_teams_are_shown_with_their_board_points() -> None:
    of = event(3, Format.ROUND_ROBIN, boards=3)
    table = cross_table(played_on(of, the_better_team_wins(of), 3))
    assert [line.player.name for line in table.lines] == ["A", "B", "C"]
    assert table.cells == ((SELF, "3", "3"), ("0", SELF, "3"), ("0", "0", SELF))


def test_tables_of_several_show_the_points() -> None:
    of = played_on(tournament(4, seats=4), the_better_wins, 1)
    assert cross_table(of).cells == (("3",), ("2",), ("1",), ("0",))
