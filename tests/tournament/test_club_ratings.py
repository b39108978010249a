# SPDX-License-Identifier: Apache-2.0
"""A club's own ratings, Glicko-2, from evening to evening."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.tournament.acts import Entered, Opened, ResultDecided, RoundPaired
from companion.tournament.book import Book, written
from companion.tournament.club_ratings import club_ratings, ratings_by_name
from companion.tournament.glicko import Rating
from companion.tournament.rating_changes import write_club_ratings
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Pairing,
    Player,
    Points,
    Round,
    Tournament,
    places,
)


def evening(*games: tuple[str, str, Points], game: str = "gottaz") -> Tournament:
    """Each of *games* in a round of its own: the first player's points."""
    names = sorted({name for one, other, _ in games for name in (one, other)})
    number = {name: place for place, name in enumerate(names, 1)}
    rounds = tuple(
        Round(place, (Pairing(1, (number[one], number[other]), (points, WIN - points)),))
        for place, (one, other, points) in enumerate(games, 1)
    )
    players = tuple(Player(number[name], name) for name in names)
    return Tournament("Evening", Format.FREE, game, players=players, rounds=rounds)


def test_the_example_of_the_author_has_its_result() -> None:
    """M. Glickman, Example of the Glicko-2 system: 1464.06, 151.52, 0.05999."""
    rivals = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = Rating(1500, 200, 0.06).after(rivals)
    assert after.value == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.059996, abs=1e-6)


@pytest.mark.parametrize("rating", [800, 1500, 2200])
def test_the_volatility_is_a_root_of_the_authors_function(rating: float) -> None:
    """Step 5, written out again: the deviation stands in it, and not the rating."""
    games = [(Rating(1400, 60), 0.0), (Rating(1500, 90), 1.0), (Rating(1700, 120), 0.5)]
    after = Rating(rating, 80, 0.06).after(games)
    mu, phi = (rating - 1500) / 173.7178, 80 / 173.7178
    g = [1 / math.sqrt(1 + 3 * (rival.deviation / 173.7178) ** 2 / math.pi**2) for rival, _ in games]
    expected = [
        1 / (1 + math.exp(-each * (mu - (rival.value - 1500) / 173.7178)))
        for each, (rival, _) in zip(g, games, strict=True)
    ]
    v = 1 / sum(each**2 * e * (1 - e) for each, e in zip(g, expected, strict=True))
    delta = v * sum(each * (score - e) for each, e, (_, score) in zip(g, expected, games, strict=True))
    x = math.log(after.volatility**2)
    ex = math.exp(x)
    value = ex * (delta**2 - phi**2 - v - ex) / (2 * (phi**2 + v + ex) ** 2) - (x - math.log(0.06**2)) / 0.25
    assert value == pytest.approx(0, abs=1e-5)


@given(
    st.floats(500, 2800),
    st.floats(30, 350),
    st.lists(st.tuples(st.floats(500, 2800), st.floats(30, 350)), max_size=9),
)
def test_a_better_score_never_gives_a_lower_rating(
    value: float, deviation: float, rivals: list[tuple[float, float]]
) -> None:
    player = Rating(value, deviation)
    lost, drawn, won = (
        player.after([(Rating(*rival), score) for rival in rivals]) for score in (0.0, 0.5, 1.0)
    )
    assert lost.value <= drawn.value <= won.value
    assert 0 < won.deviation <= 350


def test_two_new_players_part_evenly_and_are_more_certain() -> None:
    winner, loser = club_ratings([evening(("Ana", "Ben", WIN))])
    assert (winner.before, loser.before) == (0, 0)
    assert winner.rating - 1500 == 1500 - loser.rating > 100
    assert winner.deviation == loser.deviation < 350
    assert (winner.games, winner.score, loser.score) == (1, Fraction(1), Fraction(0))


def test_ratings_are_kept_from_evening_to_evening() -> None:
    first, second = evening(("Ana", "Ben", WIN)), evening(("Ben", "Ana", DRAW), ("Cleo", "Ben", WIN))
    ana, ben, _ = club_ratings([first, second])
    assert ana.before == club_ratings([first])[0].rating
    assert ana.change == ana.rating - ana.before < 0, "a draw against a weaker player"
    assert ben.games == 2
    assert ratings_by_name([first, second])["ana"] == ana.rating


def test_who_stays_away_keeps_the_rating_and_becomes_less_certain() -> None:
    first = evening(("Ana", "Ben", WIN), ("Cleo", "Ben", DRAW))
    later = evening(("Ana", "Ben", WIN))
    (cleo,) = (each for each in club_ratings([first]) if each.name == "Cleo")
    absent = replace(later, players=(*later.players, Player(3, "Cleo")))
    (again,) = (each for each in club_ratings([first, later, absent]) if each.name == "Cleo")
    assert (again.rating, again.before) == (cleo.rating, cleo.rating)
    assert again.deviation > cleo.deviation


def test_only_moves_count_and_a_name_is_found_however_it_is_written() -> None:
    played = evening(("Ana Novak", "Ben", WIN))
    games = (Pairing(1, (1, 2), (LOSS, WIN), is_forfeit=True),)
    missed = replace(played, rounds=(Round(1, games), Round(2, (), ((1, Bye.FULL),))))
    assert club_ratings([played, missed])[0].change == 0
    turned = replace(played, players=(Player(1, "Novak, Ana"), Player(2, "Ben")))
    assert club_ratings([played, turned])[0].before == club_ratings([played])[0].rating


def test_at_a_table_of_several_each_meets_each() -> None:
    table = Pairing(1, (1, 2, 3), places(((0,), (1, 2))))
    players = tuple(Player(number, name) for number, name in enumerate(("A", "B", "C"), 1))
    of = Tournament(
        "M", Format.SWISS, "martian-chess", seats=3, players=players, rounds=(Round(1, (table,)),)
    )
    winner, second, third = club_ratings([of])
    assert (winner.games, winner.score, second.score) == (2, Fraction(2), Fraction(1, 2))
    assert winner.rating > second.rating == third.rating


def test_the_book_has_the_evenings_of_each_game() -> None:
    book = Book()
    for key, game in (("one", "gottaz"), ("two", "chess"), ("three", "gottaz")):
        book = written(book, Opened(key, key, Format.FREE, game))
        for name in ("Ana", "Ben"):
            book = written(book, Entered(key, Player(0, name)))
        book = written(book, RoundPaired(key, Round(1, (Pairing(1, (1, 2)),))))
        book = written(book, ResultDecided(key, 1, 1, (WIN, LOSS)))
    assert [of.name for of in book.history("three")] == ["one", "three"]
    assert [of.name for of in book.history("two")] == ["two"]
    ana, _ = club_ratings(book.history("three"))
    assert ana.rating > ana.before > 1500
    corrected = written(book, ResultDecided("one", 1, 1, (LOSS, WIN), note="both sheets"))
    assert club_ratings(corrected.history("three"))[0].before < 1500, "they follow from the results"


def test_the_ratings_are_a_table_for_spreadsheets() -> None:
    lines = write_club_ratings(club_ratings([evening(("Ana", "Ben", WIN))])).splitlines()
    assert lines[0] == "\ufeffname,before,games,score,rating,deviation,change"
    assert lines[1].startswith("Ana,,1,1.0,16")
