# SPDX-License-Identifier: Apache-2.0
"""A game that ended while broker and table were killed reaches the hall.

Real programs, a real broker, kill -9.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from companion.cli.main import main
from companion.games import find
from tests.brokers import mosquitto
from tests.cli.test_hall import PASSWORD, address_in, ask, program
from tests.page_reader import PageReader

PATIENCE_S = 60
CELLS = {name: number for number, name in enumerate(find("chess").rules().grid.names)}


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for *holds*, which other programs bring about."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(holds):  # noqa: ASYNC110 - other programs bring it about, which tell nobody
                await asyncio.sleep(0.05)
    except TimeoutError:
        pytest.fail(f"never: {what}")


def played(page: str, move: str, ply: int, *then: dict[str, object]) -> None:
    """Make *move* at the table of *page*; send *then* once it is announced.

    *ply* is the number of the move's ply.
    """
    with connect(page.replace("http", "ws") + "ws") as line:
        reader = PageReader()
        said = (reader.take(line.recv(timeout=PATIENCE_S)) for _ in iter(int, 1))
        views = (each["view"] for each in said if "view" in each)
        next(view for view in views if view["phase"] == "waiting" and view["ply"] == ply - 1)
        source, target = move.split("-")
        line.send(json.dumps({"is": "Lift", "cell": CELLS[source]}))
        line.send(json.dumps({"is": "Drop", "cell": CELLS[target]}))
        next(
            view
            for view in views
            if len(view["record"]) == ply and view["record"][-1]["stage"] != "provisional"
        )
        for each in then:
            line.send(json.dumps(each))
        if then:
            next(view for view in views if view["phase"] == "finished")


def begun_again(page: str) -> None:
    """Begin another game at the table of *page*."""
    with connect(page.replace("http", "ws") + "ws") as line:
        line.send(json.dumps({"is": "Begin", "game": "chess"}))
        reader = PageReader()
        said = (reader.take(line.recv(timeout=PATIENCE_S)) for _ in iter(int, 1))
        next(each for each in said if "view" in each and each["view"]["ply"] == 0)


@pytest.mark.parametrize("is_killed", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_game_that_ended_while_there_was_no_broker_reaches_the_hall(
    tmp_path: Path, *, is_killed: bool
) -> None:
    """The table was killed or played other games.

    The game in progress is not the only one that the hall lacks.
    """
    store = f"sqlite:///{tmp_path}/hall.sqlite"
    main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store])
    journals, copies = (tmp_path / "companion" / name / "rep" for name in ("journals", "hall"))

    def content(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}

    def has(folder: Path, *words: bytes) -> bool:
        return any(all(word in each for word in words) for each in content(folder).values())

    async def evening() -> None:
        async with mosquitto(tmp_path) as broker:
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            words = ("hall", "--store", store, "--http-port", "0", "--broker", url, "--open")
            with contextlib.ExitStack() as later:
                address = address_in(
                    later.enter_context(program(tmp_path, signal.SIGINT, *words)), "The hall is at"
                )
                token = ask(address, "api/login", {"name": "Ana", "password": PASSWORD})["token"]

                def act(path: str, body: dict[str, object]) -> Any:
                    return ask(address, path, body, token)

                opened = {"key": "club", "name": "Club", "format": "swiss", "game": "chess"}
                act("api/acts", {"is": "Opened", **opened})
                act("api/tournaments/club/players", {"csv": "name,rating\nAna,1800\nBen,1700\n"})
                act("api/tournaments/club/rounds", {})
                table = ("hall", "table", "rep", "chess", "--hall", url, "--open")
                with contextlib.ExitStack() as until_then:
                    end = signal.SIGKILL if is_killed else signal.SIGINT
                    said = (until_then if is_killed else later).enter_context(program(tmp_path, end, *table))
                    page = address_in(said, "the table is at")
                    await until(lambda: "board/rep" in ask(address, "api/state"), "the board has joined")
                    act("api/tournaments/club/seats", {"boards": ["rep"]})
                    await until(
                        lambda: has(journals, b'"order"', b'"GameBegan"'), "the game of the round is set out"
                    )
                    played(page, "e2-e4", 1)
                    await until(lambda: has(copies, b'"MoveMade"'), "the first move is copied")
                    broker.kill()
                    played(page, "e7-e5", 2, {"is": "Resign", "side": 1})
                    assert has(journals, b'"GameEnded"')
                    (first,) = (name for name, each in content(journals).items() if b'"GameEnded"' in each)
                    if not is_killed:
                        begun_again(page)
                        played(page, "d2-d4", 1, {"is": "Resign", "side": 0})
                        begun_again(page)
                assert not has(copies, b'"GameEnded"'), "the hall could not hear of it"
                await broker.start()
                if is_killed:
                    later.enter_context(program(tmp_path, signal.SIGINT, *table))
                ended = {name: each for name, each in content(journals).items() if b'"GameEnded"' in each}
                assert first in ended
                assert len(ended) == (1 if is_killed else 2)
                await until(lambda: ended.items() <= content(copies).items(), "all of it is copied")

                def reported() -> list[float] | None:
                    found: list[float] | None = ask(address, "api/tournaments/club")["rounds"][0]["tables"][
                        0
                    ]["reported"]
                    return found

                await until(lambda: reported() == [1, 0], "the hall knows the result")

    asyncio.run(evening())
