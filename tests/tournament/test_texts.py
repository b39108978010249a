# SPDX-License-Identifier: Apache-2.0
"""Lists of players and reports for federations: written, read back, refused with line numbers."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.errors import TournamentError
from companion.tournament.club_ratings import ClubRating
from companion.tournament.pairing import next_round
from companion.tournament.rating_changes import write_club_ratings
from companion.tournament.roster import read_roster, write_roster
from companion.tournament.starting_order import starting_numbers
from companion.tournament.teams import board_points, team_standings, teams
from companion.tournament.trf import write_trf
from companion.tournament.trf_left_out import follow_on
from companion.tournament.trf_reader import is_trf, read_trf
from companion.tournament.values import LOSS, WIN, Bye, Format, Lineup, Pairing, Player, Tournament, points_of
from tests.tournament.test_pairing import by_chance, played_on, the_better_wins, tournament
from tests.tournament.test_teams import event, the_better_team_wins

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20).filter(
    lambda name: "//" not in name and (len(name) == 1 or bool(name.strip("-")))
)
"""Names; addresses and strokes are none."""
RISKY = st.from_regex(r"'{0,2}[=+@＝-][1A(]{0,3}", fullmatch=True)
"""Names that a spreadsheet would run, or that seem to be quoted."""
PLAYERS = st.builds(
    Player,
    number=st.just(0),
    name=NAMES | RISKY,
    rating=st.integers(0, 2900),
    title=st.sampled_from(["", "GM", "WFM"]),
    federation=st.sampled_from(["", "CRO", "JPN"]),
    licence=st.sampled_from(["", "14512345"]),
    born=st.sampled_from(["", "1990", "1990/05/01"]),
    sex=st.sampled_from(["", "m", "w"]),
)


@given(st.lists(PLAYERS, max_size=6, unique_by=lambda player: (player.name, player.licence)))
def test_a_list_that_was_written_is_read_back(players: list[Player]) -> None:
    numbered = tuple(replace(player, number=number) for number, player in enumerate(players, 1))
    assert read_roster(write_roster(numbered)).value == numbered


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", "＝1+1", "'=1+1"])
def test_no_cell_begins_as_what_a_spreadsheet_runs(name: str) -> None:
    player = Player(1, name, 1700, team=name)
    assert write_roster([player], ("name", "team")).splitlines()[1] == f"'{name},'{name}"
    (line,) = write_club_ratings([ClubRating(name, 1703, 1700, 80, 1, Fraction(1))]).splitlines()[1:]
    assert line == f"'{name},1703,1,1.0,1700,80,-3"


def test_a_report_with_the_mark_of_unicode_keeps_its_first_line() -> None:
    text = write_trf(tournament(4, Format.SWISS))
    assert is_trf("\ufeff001 " + text.partition("\n001 ")[2].partition("\n")[0])
    assert read_trf(f"\ufeff{text}").value == read_trf(text).value
    assert read_trf(f"\ufeff{text}").value.name


def test_a_list_of_another_program_is_read() -> None:
    text = "\ufeffName;Elo;FED;Club;Remark\nDuck, Donald;1712;USA;Duckburg;late\n\nMouse, Minnie;;;;\n"
    assert read_roster(text).value == (
        Player(1, "Duck, Donald", 1712, federation="USA", team="Duckburg"),
        Player(2, "Mouse, Minnie"),
    )


def test_a_name_is_always_a_single_line() -> None:
    """Otherwise a list could insert lines of other players into the report."""
    (player,) = read_roster('name;rating\r"Duck,\n001\t Donald\x1b[2J\0";1712\r').value
    assert player == Player(1, "Duck, 001 Donald[2J", 1712)


def shape(of: Tournament) -> list[tuple[set[object], set[object]]]:
    """What a report keeps of the rounds: all except the table numbers."""
    return [
        (
            {(pairing.players, pairing.points, pairing.is_forfeit) for pairing in each.pairings},
            set(each.byes),
        )
        for each in of.rounds
    ]


@settings(max_examples=20)
@given(st.lists(PLAYERS, min_size=6, max_size=9), st.integers(0, 999))
def test_a_report_that_was_written_is_read_back(players: list[Player], seed: int) -> None:
    of = Tournament("Open", Format.SWISS, "chess", planned=3)
    for player in players:
        of = of.entered(player)
    of = played_on(of, by_chance(seed), 1).excused(1, 2, Bye.HALF)
    of = played_on(of, by_chance(seed), 1)
    of = of.paired(next_round(of))
    for pairing in of.rounds[-1].pairings:
        of = of.with_result(3, pairing.table, (WIN, LOSS), is_forfeit=True)
    assert is_trf(write_trf(of))
    assert not is_trf(write_roster(of.players))
    back = read_trf(write_trf(of)).value
    numbers = starting_numbers(of)
    numbered = [replace(player, number=numbers[player.number], excused=()) for player in of.players]
    assert sorted(numbered, key=lambda player: player.number) == list(back.players)
    assert shape(back) == shape(renumbered(of, numbers))
    assert points_of(back) == {numbers[number]: points for number, points in points_of(of).items()}


def renumbered(of: Tournament, numbers: Mapping[int, int]) -> Tournament:
    """*of* with the rounds of players who have other *numbers*."""
    rounds = [
        replace(
            each,
            pairings=tuple(
                replace(pairing, players=tuple(numbers[number] for number in pairing.players))
                for pairing in each.pairings
            ),
            byes=tuple((numbers[number], bye) for number, bye in each.byes),
        )
        for each in of.rounds
    ]
    return replace(of, rounds=tuple(rounds))


def unsorted(seed: int, count: int = 11) -> Tournament:
    """A Swiss with players of any strength, some equal, in order of entry."""
    chance, of = Random(seed), Tournament("Open", Format.SWISS, "chess", planned=5)
    for number in range(count):
        of = of.entered(Player(0, f"P{number}", chance.randrange(15, 25) * 100))
    return of


@settings(max_examples=20)
@given(st.integers(0, 999))
def test_a_report_has_the_starting_numbers_used_for_pairing(seed: int) -> None:
    """Pairing the rounds again from the report gives the same pairings and colours."""
    back = read_trf(write_trf(played_on(unsorted(seed), by_chance(seed), 4))).value
    ratings = [player.rating for player in back.players]
    assert ratings == sorted(ratings, reverse=True)
    for number, each in enumerate(back.rounds):
        again = next_round(replace(back, rounds=back.rounds[:number], planned=5))
        assert {pairing.players for pairing in again.pairings} == {
            pairing.players for pairing in each.pairings
        }


def test_a_late_entry_gets_the_number_of_its_strength_in_the_report() -> None:
    of = played_on(tournament(4, rounds=3), the_better_wins, 1).entered(Player(0, "Late", 2400))
    lines = write_trf(played_on(of, the_better_wins, 1)).splitlines()
    late, first = (line for line in lines if line.startswith(("001    1", "001    2")))
    assert (late[14:18], first[14:16]) == ("Late", "P1")
    assert late[91:99] == "0000 - Z"
    assert first[91:99] == "   4 w 1"
    assert "XXR 3" in lines


def test_a_round_robin_keeps_the_numbers_of_its_bergers_table() -> None:
    of = replace(unsorted(3, 4), format=Format.ROUND_ROBIN)
    names = [
        line[14:16] for line in write_trf(played_on(of, by_chance(1), 2)).splitlines() if line[:3] == "001"
    ]
    assert names == ["P0", "P1", "P2", "P3"]


def test_a_swiss_continues_from_the_rounds_of_a_complete_report() -> None:
    of = played_on(tournament(7, rounds=4), by_chance(5), 2)
    of = of.paired(next_round(of)).with_result(3, 1, (WIN, LOSS))
    report = read_trf(write_trf(of)).value
    fresh = tournament(7, rounds=4)
    taken = follow_on(fresh, report)
    assert [each.number for each in taken] == [1, 2], "the third is under way"
    for each in taken:
        fresh = fresh.paired(each)
    meant = {frozenset(pairing.players) for pairing in of.rounds[2].pairings}
    assert {frozenset(pairing.players) for pairing in next_round(fresh).pairings} == meant
    for other in (tournament(8), tournament(7, Format.ROUND_ROBIN), fresh, tournament(7, seats=4)):
        assert follow_on(other, report) == ()


def test_a_swiss_of_teams_continues_from_a_report_unchanged() -> None:
    of = played_on(event(5, boards=2), by_chance(3), 1)
    of = played_on(of.lined_up(Lineup(2, "A", (3, 1))), by_chance(4), 1)
    following = of.paired(next_round(of))
    report = read_trf(write_trf(following.with_result(3, 1, (WIN, LOSS)))).value
    fresh = event(5, boards=2)
    assert follow_on(event(5, boards=1), report) == ()
    taken = follow_on(fresh, report)
    assert [each.number for each in taken] == [1, 2], "the third is under way"
    assert fresh.paired(taken[0]).lined_up(report.lineups[0]).lineups == of.lineups
    for each in taken:
        fresh = fresh.paired(each)
    assert team_standings(fresh) == team_standings(of)
    meant = {frozenset(match.teams) for match in following.rounds[2].matches}
    assert {frozenset(match.teams) for match in next_round(fresh).matches} == meant
    wrong = replace(report, lineups=(Lineup(2, "A", (4, 1)),))
    assert [each.number for each in follow_on(event(5, boards=2), wrong)] == [1], "one of another team"
    old = read_trf(
        "\n".join(line for line in write_trf(of).splitlines() if line[:3] not in ("300", "310"))
    ).value
    assert len(follow_on(event(5, boards=2), old)) < 2, "nobody knows on which board a substitute played"


def test_a_report_has_the_columns_of_the_federation() -> None:
    of = played_on(tournament(4, rounds=1), the_better_wins, 1)
    line = next(line for line in write_trf(of).splitlines() if line.startswith("001    1"))
    assert line[14:16] == "P1"
    assert line[48:52] == "1999"
    assert line[80:84] == " 1.0"
    assert line[91:99] == "   3 w 1"


OLD = (
    "001    1 m  g Müller, Jörg                      2500 GER     4610318 1970/00/00  2,0",
    "001    2 F    García López, Ángela              2400 ESP     2210312 70/05/02    1.0",
)


def test_a_report_in_the_former_format_is_read() -> None:
    lines = [f"{line:<91}{result}" for line, result in zip(OLD, ("   2 w 1", "   1 b 0"), strict=True)]
    of = read_trf("\r\n".join(["012 Grünstadt", "132", *lines, "\x1a"])).value
    assert of.players == (
        Player(1, "Müller, Jörg", 2500, "GM", "GER", "4610318", "1970", "m"),
        Player(2, "García López, Ángela", 2400, "", "ESP", "2210312", "", "w"),
    )
    assert of.rounds[0].pairings == (Pairing(1, (1, 2), (WIN, LOSS)),)


def test_a_report_needs_tables_of_two() -> None:
    of = played_on(tournament(4, seats=4), the_better_wins, 1)
    with pytest.raises(TournamentError, match="knows two players at a table"):
        write_trf(of)


def test_a_report_without_players_is_refused() -> None:
    with pytest.raises(TournamentError, match="names no players"):
        read_trf("012 Open\n")


@settings(max_examples=20)
@given(st.integers(3, 7), st.integers(1, 4), st.integers(0, 999))
def test_a_report_of_teams_that_was_written_is_read_back(count: int, boards: int, seed: int) -> None:
    of = event(count, boards=boards, each=boards + 1)
    of = played_on(of, by_chance(seed), 1)
    of = of.lined_up(Lineup(2, "A", tuple(range(boards + 1, 1, -1))))
    of = played_on(of.lined_up(Lineup(2, "B", (0,) * (boards > 1) + (boards + 2,))), by_chance(seed), 1)
    back = read_trf(write_trf(of)).value
    assert back.boards == of.boards
    assert [(team.name, [player.number for player in team.players]) for team in teams(back)] == [
        (team.name, [player.number for player in team.players]) for team in teams(of)
    ]
    for one, other in zip(of.rounds, back.rounds, strict=True):
        assert {match.teams for match in one.matches} == {match.teams for match in other.matches}
        assert {match.bye for match in one.matches} == {match.bye for match in other.matches}
    assert team_standings(back) == team_standings(of)
    assert board_points(back) == board_points(of)


def test_the_lines_of_teams_have_the_columns_of_the_federation() -> None:
    of = event(3, boards=2)
    of = played_on(of, the_better_team_wins(of), 1).lined_up(Lineup(2, "A", (1, 3)))
    of = played_on(of, the_better_team_wins(of), 1)
    lines = write_trf(of).splitlines()
    old = next(line for line in lines if line.startswith("013"))
    assert (old[4], old[36:40], old[41:45], old[46:50]) == ("A", "   1", "   2", "   3")
    new = next(line for line in lines if line.startswith("310"))
    assert (new[4:7], new[8], new[47:53], new[54:60]) == ("  1", "A", "  2398", "   4.0")
    assert (new[61:67], new[68:71], new[73:77], new[78:82]) == ("   4.0", "  1", "   1", "   2")
    assert next(line for line in lines if line.startswith("300")) == "300   2   1   3 0001 0003"
    assert next(line for line in lines if line.startswith("320")) == "320  2.0  1.5 003 002"
    assert "082 3" in lines
    assert "092 Team: Swiss-System (Dutch)" in lines


def test_an_excused_team_is_not_reported_with_a_pairing_bye() -> None:
    of = event(5, boards=2)
    for number in (13, 14, 15):
        of = of.excused(number, 1, Bye.HALF)
    assert not [line for line in write_trf(played_on(of, by_chance(1), 1)).splitlines() if line[:3] == "320"]


def test_teams_enter_by_the_old_lines_and_by_the_new() -> None:
    text = write_trf(event(2, boards=2))
    for kept in ("013", "310"):
        lines = [line for line in text.splitlines() if line[:3] in ("001", kept)]
        back = read_trf("\n".join(lines)).value
        assert [(player.name, player.team) for player in back.players[2:4]] == [("A3", "A"), ("B1", "B")]
        assert back.boards == 3
    (note,) = read_trf("\n".join([*lines[:6], "013 X".ljust(36) + "   9"])).notes
    assert note.sentence() == "line 7: '9' is no player of the report"


def test_the_lines_of_teams_have_the_numbers_by_which_teams_are_paired() -> None:
    of = event(3, boards=2)
    weakest_first = [replace(each, rating=2000 + 100 * "ABC".index(each.team)) for each in of.players]
    of = played_on(replace(of, players=tuple(weakest_first)), by_chance(2), 2)
    text = write_trf(of)
    lines = text.splitlines()
    assert [line[:9] for line in lines if line.startswith("310")] == ["310   1 C", "310   2 B", "310   3 A"]
    resting = [match.teams[0] for each in of.rounds for match in each.matches if len(match.teams) == 1]
    (left_over,) = (line for line in lines if line.startswith("320"))
    assert left_over[14:].split() == [f"{' CBA'.index(name):03}" for name in resting]
    back = read_trf(text).value
    assert [[match for match in each.matches if match.bye is Bye.ALLOCATED] for each in back.rounds] == [
        [match for match in each.matches if match.bye is Bye.ALLOCATED] for each in of.rounds
    ]
    assert team_standings(back) == team_standings(of)
