# SPDX-License-Identifier: Apache-2.0
"""Draws that need a winner: further games, decisions, and play-offs."""

import pytest

from companion.model.errors import TournamentError
from companion.tournament.acts import (
    Act,
    Entered,
    Opened,
    PlayedOn,
    ResultDecided,
    ResultReported,
    RoundPaired,
    WinnerDecided,
)
from companion.tournament.book import Book, written
from companion.tournament.pairing import next_round, playoff
from companion.tournament.ties import standings
from companion.tournament.values import DRAW, LOSS, WIN, Format, Player, Tournament, points_of
from tests.tournament.test_pairing import played_on, the_better_wins, tournament


def book_of(kind: Format, players: int, *acts: Act, boards: int = 0) -> Book:
    book = written(Book(), Opened("cup", "Cup", kind, "chess", boards=boards))
    for number in range(1, players + 1):
        team = f"T{(number + 1) // 2}" if boards else ""
        book = written(book, Entered("cup", Player(0, f"P{number}", 2000 - number, team=team)))
    return after(written(book, RoundPaired("cup", next_round(cup(book)))), *acts)


def after(book: Book, *acts: Act) -> Book:
    for act in acts:
        book = written(book, act)
    return book


def cup(book: Book) -> Tournament:
    return book.of("cup").tournament


DRAWN = ResultDecided("cup", 1, 1, (DRAW, DRAW))
ON = PlayedOn("cup", 1, 1, "two games of ten minutes")


def test_a_drawn_knockout_pairing_gets_further_games_until_one_is_won() -> None:
    book = book_of(Format.KNOCKOUT, 4, DRAWN, ResultDecided("cup", 1, 2, (WIN, LOSS)), ON)
    with pytest.raises(TournamentError, match="results are missing at table 1"):
        next_round(cup(book))
    with pytest.raises(TournamentError, match="no draw to be played on"):
        written(book, ON)
    book = after(
        book,
        DRAWN,
        ON,
        ResultReported("cup", 1, 1, (LOSS, WIN), "mate"),
        ResultDecided("cup", 1, 1, (LOSS, WIN)),
    )
    game = cup(book).round(1).pairings[0]
    assert (game.points, game.further) == ((DRAW, DRAW), ((DRAW, DRAW), (LOSS, WIN)))
    assert game.winner == game.players[1]
    assert (game.seated, game.latest) == (game.players, (LOSS, WIN))
    third = cup(written(written(book_of(Format.KNOCKOUT, 2, DRAWN), ON), DRAWN)).round(1).pairings[0]
    assert (third.seated, third.latest) == (third.players[::-1], (DRAW, DRAW))
    assert {number for each in next_round(cup(book)).pairings for number in each.players} == {
        game.players[1],
        2,
    }
    assert points_of(cup(book))[game.players[1]] == DRAW
    assert not book.of("cup").reported


def test_a_further_game_and_its_result_can_be_withdrawn() -> None:
    book = book_of(Format.KNOCKOUT, 2, DRAWN, ON)
    played = after(book, ResultDecided("cup", 1, 1, (WIN, LOSS)))
    assert after(played, ResultDecided("cup", 1, 1, None)) == book
    assert after(book, ResultDecided("cup", 1, 1, None)) == book_of(Format.KNOCKOUT, 2, DRAWN)


def test_the_arbiter_decides_by_a_named_rule_and_can_withdraw_the_decision() -> None:
    book = book_of(Format.KNOCKOUT, 2, DRAWN)
    decided = written(book, WinnerDecided("cup", 1, 1, 2, "drawn by lot"))
    assert cup(decided).round(1).pairings[0].winner == 2
    assert written(decided, WinnerDecided("cup", 1, 1, 0)) == book
    for act in (WinnerDecided("cup", 1, 1, 2), WinnerDecided("cup", 1, 1, 3, "lot")):
        with pytest.raises(TournamentError, match="names one of those who played, and by which rule"):
            written(book, act)


def test_a_drawn_match_of_teams_is_decided_for_one_of_them() -> None:
    book = book_of(Format.KNOCKOUT, 8, boards=2)
    for table in range(1, 5):
        book = written(book, ResultDecided("cup", 1, table, (DRAW, DRAW)))
    book = after(
        book, WinnerDecided("cup", 1, 1, 4, "first board"), WinnerDecided("cup", 1, 2, 2, "first board")
    )
    assert [match.decided for match in cup(book).round(1).matches] == ["T4", "T2"]
    (final,) = next_round(cup(book)).matches
    assert set(final.teams) == {"T4", "T2"}
    with pytest.raises(TournamentError, match="of players only"):
        written(book, ON)


def test_only_knockouts_and_play_offs_continue_after_a_draw() -> None:
    book = book_of(Format.SWISS, 4, DRAWN)
    with pytest.raises(TournamentError, match="knockouts and play-offs"):
        written(book, ON)
    with pytest.raises(TournamentError, match="a draw stands: only a knockout"):
        written(book, WinnerDecided("cup", 1, 1, 1, "lot"))
    won = book_of(Format.KNOCKOUT, 4, ResultDecided("cup", 1, 1, (WIN, LOSS)))
    with pytest.raises(TournamentError, match="no draw to be decided"):
        written(won, WinnerDecided("cup", 1, 1, 1, "lot"))


def test_a_result_comes_from_a_board_only_while_one_is_awaited() -> None:
    book = book_of(Format.KNOCKOUT, 2, DRAWN)
    with pytest.raises(TournamentError, match="has its result"):
        written(book, ResultReported("cup", 1, 1, (WIN, LOSS), "mate"))


def tied() -> Tournament:
    """Four players with only draws, except the last, who has lost."""
    of = tournament(4, Format.ROUND_ROBIN)
    return played_on(
        of,
        lambda game: (
            (WIN, LOSS) if game.players[1] == 4 else (LOSS, WIN) if 4 in game.players else (DRAW, DRAW)
        ),
        3,
    )


def test_a_play_off_decides_among_the_first_and_brings_no_points() -> None:
    of = tied()
    assert [(line.rank, line.player.number) for line in standings(of)] == [(1, 1), (1, 2), (1, 3), (4, 4)]
    before = points_of(of)
    of = of.paired(playoff(of, [(2, 3)]))
    assert of.rounds[-1].is_playoff
    of = of.with_result(4, 1, (LOSS, WIN))
    assert points_of(of) == before
    table = standings(of)
    assert [(line.rank, line.player.number, line.playoff) for line in table] == [
        (1, 3, WIN),
        (2, 2, LOSS),
        (3, 1, None),
        (4, 4, None),
    ]
    with pytest.raises(TournamentError, match="the play-off has begun"):
        next_round(of)
    again = playoff(of, [(3, 1)])
    assert (again.number, again.is_playoff) == (5, True)


def test_a_drawn_play_off_gets_a_further_game_or_a_decision() -> None:
    of = tied()
    of = of.paired(playoff(of, [(2, 3)])).with_result(4, 1, (DRAW, DRAW))
    book = book_of(Format.ROUND_ROBIN, 2, ResultDecided("cup", 1, 1, (DRAW, DRAW)))
    book = after(book, RoundPaired("cup", playoff(cup(book))), ResultDecided("cup", 2, 1, (DRAW, DRAW)))
    assert [line.rank for line in standings(cup(book))] == [1, 1]
    lot = written(book, WinnerDecided("cup", 2, 1, 2, "lot"))
    assert [line.player.number for line in standings(cup(lot))] == [2, 1]
    on = after(book, PlayedOn("cup", 2, 1), ResultDecided("cup", 2, 1, (LOSS, WIN)))
    winner = cup(on).round(2).pairings[0].players[1]
    assert standings(cup(on))[0].player.number == winner


def test_a_play_off_is_for_the_players_who_share_the_lead() -> None:
    with pytest.raises(TournamentError, match="for those who are first together"):
        playoff(tied(), [(1, 4)])
    of = tournament(4, Format.ROUND_ROBIN)
    with pytest.raises(TournamentError, match="when all rounds are over"):
        playoff(of)
    with pytest.raises(TournamentError, match="nobody has as many points"):
        playoff(played_on(of, the_better_wins, 3))
    with pytest.raises(TournamentError, match="nor in a knockout"):
        playoff(played_on(tournament(2, Format.KNOCKOUT), the_better_wins, 1))
