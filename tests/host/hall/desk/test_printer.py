# SPDX-License-Identifier: Apache-2.0
"""Lists are printed in a process of their own.

Few of them are kept, and printing delays neither players nor arbiters.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE
from threading import Event, Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from companion.host.hall.desk.printer import Printer
from companion.model.errors import StoreError, TournamentError
from companion.sheets.page import PAPERS
from companion.tournament.book import Running
from tests.host.hall.desk.test_printouts import fetched, league, text
from tests.host.hall.halls import until
from tests.host.hall.sites import NAME, PASSWORD, site, tournament
from tests.host.hall.test_idle_connections import post
from tests.programs import Program, companion

A4 = PAPERS["a4"]
CLIENTS, PLAYERS = 8, 500
AT_MOST = 10
"""Bound of an act beside printing clients, in multiples of one without, and 0.1 s."""


async def ask(printer: Printer, running: Running, language: str = "en", in_round: int = 0) -> bytes:
    return await printer.public("club", running, "standings", language, A4, in_round)


@pytest.mark.long
def test_an_unknown_language_is_printed_in_english_and_kept_once() -> None:
    async def scenario() -> None:
        async with Printer() as printer:
            running = league()
            strange = [
                await ask(printer, running, language) for language in ("en", "xx", "../de", "", "x" * 999)
            ]
            assert len(set(strange)) == 1
            assert len(printer) == 1
            assert "Rangliste" not in text(strange[0])
            assert await ask(printer, running, "de") != strange[0]
            assert len(printer) == 2
            assert await ask(printer, running, "de", in_round=2) == await ask(printer, running, "de")
            assert len(printer) == 2, "the last round must be kept once, with or without its number"

    asyncio.run(scenario())


def test_failed_lists_are_not_kept_and_the_number_of_kept_lists_is_limited() -> None:
    async def scenario() -> None:
        async with Printer(most=3) as printer:
            running = league()
            for number in (3, 99, -1, 10**12):
                with pytest.raises(TournamentError, match=f"round {number} is not paired"):
                    await ask(printer, running, in_round=number)
            assert len(printer) == 0
            for language in ("de", "en", "es", "fr", "hr", "ja"):
                await ask(printer, running, language)
                assert len(printer) <= 3
            first = await ask(printer, running, "en")
            assert first == await ask(printer, running, "en")
            at_once = [ask(printer, running, language, in_round=1) for language in ("de", "en", "es", "fr")]
            told = await asyncio.gather(*at_once, return_exceptions=True)
            assert [type(each) for each in told] == [bytes, bytes, bytes, StoreError]

    asyncio.run(scenario())


def test_many_readers_of_a_list_share_one_printing_until_it_changes() -> None:
    async def scenario() -> None:
        async with Printer() as printer:
            running = league()
            made = await asyncio.gather(*(ask(printer, running) for _ in range(20)))
            assert len({id(each) for each in made}) == 1
            again = Running(running.tournament)
            assert await ask(printer, again) is not made[0]
            assert len(printer) == 1

    asyncio.run(scenario())


def test_the_printing_process_may_die_and_ends_when_idle_and_at_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with Printer() as printer:
            running = league()
            await ask(printer, running, "de")
            (process,) = multiprocessing.active_children()
            assert process.pid not in (None, os.getpid())
            process.kill()
            assert await printer.list_now(running, "standings", "fr", A4, 0)
            printer.idle_s = 0.01
            assert await ask(printer, running, "es")
            await until(lambda: not multiprocessing.active_children(), "the printing process ends")
            printer.idle_s = 60
            assert await ask(printer, running, "hr")
            assert len(multiprocessing.active_children()) == 1
        assert not multiprocessing.active_children()

    asyncio.run(scenario())


def test_over_http_an_unpaired_round_is_refused_and_an_unknown_language_is_english(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            way = "api/tournaments/club/pairings.pdf"
            await at.looked()
            assert (await asyncio.to_thread(fetched, at, f"{way}?round=7"))[0] == 422
            english = await asyncio.to_thread(fetched, at, way)
            assert english[0] == 200
            assert await asyncio.to_thread(fetched, at, f"{way}?language=tlh") == english

    asyncio.run(scenario())


# --- the real program ---


@contextmanager
def hall(folder: Path) -> Iterator[tuple[str, Program]]:
    """Start `companion hall`; its address and its program."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    companion("hall", "admit", NAME, "--password", PASSWORD, env=environment)
    with Program("companion", ["hall", "--http-port=0"], stdout=PIPE, env=environment) as program:
        assert program.stdout is not None
        try:
            line = next(line for line in program.stdout if "http://" in line)
            yield next(word for word in line.split() if word.startswith("http://")), program
        finally:
            program.terminate()
            program.stdout.read()


def enter(address: str) -> str:
    """Enter a tournament with many players and a round; returns an arbiter's token."""
    token = str(post(address, "api/login", {"name": NAME, "password": PASSWORD})["token"])
    opened = {"is": "Opened", "key": "club", "name": "Club", "format": "free", "game": "chess"}
    post(address, "api/acts", opened, token)
    rows = "\n".join(f"Player {number:03},{2800 - number}" for number in range(PLAYERS))
    post(address, "api/tournaments/club/players", {"csv": f"name,rating\n{rows}\n"}, token)
    tables = [[number, number + 1] for number in range(1, PLAYERS, 2)]
    post(address, "api/tournaments/club/rounds", {"tables": tables}, token)
    return token


def wait_for_list(address: str) -> None:
    """Wait until spectators may print the round, which the hall releases at its next check."""
    for _ in range(1000):
        try:
            with urlopen(f"{address}api/tournaments/club/pairings.pdf", timeout=60):
                return
        except HTTPError as fault:
            fault.close()
    pytest.fail("the list was not printed in time")


def print_without_end(address: str, number: int, is_over: Event, done: list[int]) -> None:
    place = address.removeprefix("http://").rstrip("/")
    line = HTTPConnection(place, timeout=60)
    count = 0
    while not is_over.is_set():
        language = f"x{number}-{count}"
        line.request("GET", f"/api/tournaments/club/standings.pdf?language={language}&round={count % 2}")
        answer = line.getresponse()
        answer.read()
        assert answer.status == 200
        count += 1
    line.close()
    done.append(count)


def decided_s(address: str, token: str, tables: range) -> float:
    """The longest duration of a result's entry; each result changes every list."""
    took = []
    for number in tables:
        body = {"is": "ResultDecided", "key": "club", "round": 1, "table": number, "points": [2, 0]}
        started = time.monotonic()
        post(address, "api/acts", body, token)
        took.append(time.monotonic() - started)
    return max(took)


@pytest.mark.long
def test_eight_clients_that_print_continuously_do_not_slow_an_arbiter(tmp_path: Path) -> None:
    with hall(tmp_path) as (address, _):
        token = enter(address)
        wait_for_list(address)
        alone_s = decided_s(address, token, range(1, 6))
        is_over, done = Event(), list[int]()
        clients = [
            Thread(target=print_without_end, args=(address, number, is_over, done))
            for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        try:
            beside_s = decided_s(address, token, range(6, 11))
        finally:
            is_over.set()
            for client in clients:
                client.join()
        assert len(done) == CLIENTS
        assert all(done), done
        assert beside_s < AT_MOST * (alone_s + 0.1)


def test_the_printing_process_ends_with_its_hall_even_if_that_is_killed(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("needs /proc")
    with hall(tmp_path) as (address, program):
        enter(address)
        wait_for_list(address)
        children = children_of(program.pid)
        assert children
        program.send_signal(signal.SIGKILL)
        program.wait()
    asyncio.run(until(lambda: not any(is_alive(each) for each in children), "the printing process ends"))


def children_of(parent: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(state != "Z")
