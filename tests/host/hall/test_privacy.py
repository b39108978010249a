# SPDX-License-Identifier: Apache-2.0
"""Birth dates, sex and federation ids are for arbiters.

No path that needs no token has them.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import zlib
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pypdf import PdfReader
from websockets.asyncio.client import connect as watch

from companion.host.hall.core.journal_sync import Part
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Up
from companion.host.hall.desk.printouts import LISTS
from companion.tournament.roster import COLUMNS, PUBLIC
from companion.tournament.trf_reader import read_trf
from tests.host.hall.chess_games import NAME, content
from tests.host.hall.sites import Site, site

LIST = """name,rating,title,federation,licence,born,sex,team
Ana,1800,WFM,CRO,14512345,2014/03/09,w,Zagreb
Ben,1700,,GER,24612345,2015/04/10,m,Berlin
"""
PRIVATE = ("14512345", "24612345", "2014", "2015", "03/09", "04/10")
MARK = "\ufeff"
"""By which the file says that it is UTF-8."""
DESK = "api/desk/tournaments/club/"


def fetched(at: Site, path: str, token: str) -> tuple[int, str]:
    """Status and text at *path*; a PDF is read as text."""
    request = Request(at.address + path, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urlopen(request, timeout=60) as response:
            data = response.read()
            status = response.status
    except HTTPError as fault:
        with fault:
            return fault.code, fault.read().decode()
    if data.startswith(b"%PDF"):
        return status, "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    return status, data.decode()


async def playing(at: Site, folder: Path) -> None:
    """A round of two players in which one game is over."""
    await at.log_in()
    await at.act("Opened", key="club", name="Club", format="swiss", game="chess")
    assert (await at.ask("api/tournaments/club/players", {"csv": LIST}))[1] == {"entered": 2}
    assert (await at.ask("api/tournaments/club/rounds", {}))[1] == {"round": 1}
    at.hall.take(Up("red", "i", Hello("red", "i", "Red", "chess")), lambda _down: None)
    assert (await at.ask("api/tournaments/club/seats", {"boards": ["red"]}))[1] == {
        "seated": 1,
        "under_way": [],
        "silent": [],
    }
    data = content(folder, "e4 e5", order=at.hall.keeper.book.of("club").stations[1, 1].order)
    at.hall.take(Up("red", "i", Part(NAME, 0, zlib.crc32(b""), data.decode())), lambda _down: None)
    at.station("red", 2)


def open_paths(described: dict[str, dict[str, object]]) -> list[str]:
    """Every path that can be fetched, for the tournament and the station that are here."""
    found: list[str] = []
    for path in (path for path, how in described.items() if "get" in how):
        kinds = (*LISTS, "scoresheets") if "{kind}" in path else ("",)
        found += (
            path.lstrip("/").format(key="club", kind=kind, board="red", name="none.jpg") for kind in kinds
        )
    return [f"{path}?name=chess%3F" if path.endswith("/sets") else path for path in found]


def test_no_path_without_a_token_has_birth_dates_sex_or_federation_ids(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await playing(at, tmp_path)
            told: dict[str, str] = {}
            described = json.loads((await asyncio.to_thread(fetched, at, "api/openapi.json", ""))[1])
            for path in open_paths(described["paths"]):
                for token in ("", "bogus"):
                    status, text = await asyncio.to_thread(fetched, at, path, token)
                    assert status == 401 if "desk" in path else status in (200, 404, 422), path
                    assert not [each for each in PRIVATE if each in text], path
                    if status == 200:
                        told[path] = text
            async with watch(f"{at.address.replace('http', 'ws')}api/watch") as line, asyncio.timeout(60):
                text = str(await line.recv())
            assert "Ana" in text
            assert not [each for each in PRIVATE if each in text]
            public = "api/tournaments/club"
            lists = {public, *(f"{public}/{name}" for name in ("players.csv", "report.trf", "games.pgn"))}
            lists |= {f"{public}/{kind}.pdf" for kind in ("pairings", "standings", "crosstable")}
            assert lists <= told.keys()
            assert all("Ana" in told[path] for path in lists), "the lists must name the players"
            assert (
                tuple(next(csv.reader(io.StringIO(told[f"{public}/players.csv"].removeprefix(MARK)))))
                == PUBLIC
            )
            (ana, _) = read_trf(told[f"{public}/report.trf"]).value.players
            assert (ana.name, ana.title, ana.rating, ana.federation) == ("Ana", "WFM", 1800, "CRO")
            assert (ana.licence, ana.born, ana.sex) == ("", "", "")
            assert (
                '[White "Ana"]' in told[f"{public}/games.pgn"]
                or '[Black "Ana"]' in told[f"{public}/games.pgn"]
            )

    asyncio.run(scenario())


def test_with_a_token_arbiters_get_the_files_with_all_data(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await playing(at, tmp_path)
            status, players = await asyncio.to_thread(fetched, at, f"{DESK}players.csv", at.token)
            assert status == 200
            assert tuple(next(csv.reader(io.StringIO(players.removeprefix(MARK))))) == COLUMNS
            assert "Ana,1800,WFM,CRO,14512345,2014/03/09,w,Zagreb" in players.splitlines()
            status, report = await asyncio.to_thread(fetched, at, f"{DESK}report.trf", at.token)
            assert status == 200
            (ana, _) = read_trf(report).value.players
            assert (ana.licence, ana.born, ana.sex) == ("14512345", "2014/03/09", "w")
            for path in (f"{DESK}players.csv", f"{DESK}report.trf", f"{DESK}ratings.csv", f"{DESK}event"):
                assert (await asyncio.to_thread(fetched, at, path, ""))[0] == 401
                assert (await asyncio.to_thread(fetched, at, path.replace("club", "cup"), at.token))[0] == 422

    asyncio.run(scenario())
