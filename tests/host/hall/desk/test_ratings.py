# SPDX-License-Identifier: Apache-2.0
"""Ratings at the desk: Elo in chess, the club's own in other games."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.host.hall.sites import Site, site

FREE = {"format": "free", "seats": 2}


async def evening(at: Site, key: str, game: str, players: str, points: list[int]) -> None:
    """A tournament of two with one game."""
    assert (await at.act("Opened", key=key, name=key, game=game, **FREE))[0] == 200
    assert (await at.ask(f"api/tournaments/{key}/players", {"csv": players}))[0] == 200
    assert (await at.ask(f"api/tournaments/{key}/rounds", {"tables": [[1, 2]]}))[0] == 200
    assert (await at.act("ResultDecided", key=key, round=1, table=1, points=points))[0] == 200


def test_a_clubs_rating_is_kept_and_given_to_players_who_enter_without_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            await evening(at, "first", "gottaz", "name\nAna\nBen\n", [2, 0])
            _, told = await at.ask("api/desk/tournaments/first/ratings")
            ana, ben = told["lines"]
            assert not told["is_elo"]
            assert (ana["name"], ana["before"], ana["games"], ana["score"]) == ("Ana", 0, 1, 1.0)
            assert ana["rating"] > 1600 > 1400 > ben["rating"]
        async with site(tmp_path) as at:  # another evening
            await at.log_in()
            entry = "name,rating\nBen,\nAna,\nCleo,\nDan,1700\n"
            await evening(at, "second", "gottaz", entry, [2, 0])
            players = at.hall.keeper.book.of("second").tournament.players
            assert [player.rating for player in players] == [ben["rating"], ana["rating"], 0, 1700]
            _, again = await at.ask("api/tournaments/second/players", {"csv": f"{entry}Eva,\n"})
            assert again == {"entered": 1, "known": 4}
            _, told = await at.ask("api/desk/tournaments/second/ratings")
            assert (told["lines"][1]["before"], told["lines"][1]["change"] < 0) == (ana["rating"], True)
            _, table = await at.ask("api/desk/tournaments/second/ratings.csv")
            assert table.splitlines()[2].startswith(f"Ana,{ana['rating']},1,0.0,")

    asyncio.run(scenario())


def test_chess_has_the_federations_rating(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            await evening(at, "open", "chess", "name,rating\nAna,2000\nBen,2000\n", [2, 0])
            _, told = await at.ask("api/desk/tournaments/open/ratings")
            assert told["is_elo"]
            line = {key: told["lines"][0][key] for key in ("performance", "k", "change", "rating")}
            assert line == {"performance": 2800, "k": 20, "change": 10.0, "rating": 2010}

    asyncio.run(scenario())


def test_a_round_is_not_paired_while_a_tie_break_lacks_ratings(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await at.log_in()
            await at.act("Opened", key="open", name="Open", game="chess", tie_breaks=["performance"], **FREE)
            await at.ask("api/tournaments/open/players", {"csv": "name,rating\nAna,2000\nBen,\n"})
            status, told = await at.ask("api/tournaments/open/rounds", {"tables": [[1, 2]]})
            assert (
                status,
                "TPR needs a rating of each player: enter an estimate for Ben" in told["detail"],
            ) == (
                422,
                True,
            )
            await at.act("Corrected", key="open", number=2, name="Ben", rating=1500)
            assert (await at.ask("api/tournaments/open/rounds", {"tables": [[1, 2]]}))[0] == 200

    asyncio.run(scenario())
