# SPDX-License-Identifier: Apache-2.0
"""An arbiter of an evening with kills, who keeps what the hall acknowledged."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from http.client import HTTPException
from random import Random
from typing import Any, Final
from urllib.error import HTTPError

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.bench.kill_judge import Consent
from tests.bench.kill_programs import GUEST, OWN, TABLES, Site
from tests.cli.test_hall import PASSWORD, ask

Json = dict[str, Any]

SEATS: Final = (*OWN, *TABLES)
ROUNDS: Final = 3
"""Rounds of a tournament; then another one is announced."""


class NoAnswerError(Exception):
    """The hall could not be asked, or did not answer."""


class Arbiter:
    """Seats rounds, enters results, gives orders and writes notes, over and over."""

    def __init__(self, site: Site, chance: Random) -> None:
        self._site = site
        self._chance = chance
        self._token = ""
        self._entries: dict[int, Json] = {}
        self.desk: Json = {}
        self.acts: list[Json] = []
        """What was acknowledged, by fields that only its entry has."""
        self.consents: list[Consent] = []
        self.faults: list[str] = []
        """Entries of the book that changed."""
        self.refusals: Counter[str] = Counter()
        self._number = 0
        self._paused: set[str] = set()
        self.is_resting = False

    async def run(self) -> None:
        """Act until cancelled."""
        while True:
            try:
                await self.look()
                await self._tournament()
                if not self.is_resting:
                    await self._something()
            except NoAnswerError:
                self.refusals["no answer"] += 1
            await asyncio.sleep(self._chance.uniform(0.1, 0.5))  # the arbiter thinks

    async def look(self) -> None:
        """Read the desk."""
        self.desk = await self._answer(asyncio.to_thread(self._read_desk))
        for entry in self.desk["book"]:  # the newest ones
            known = self._entries.setdefault(entry["number"], entry)
            if known["act"] != entry["act"]:
                self.faults.append(f"entry {entry['number']} of the book was {known}, and is {entry}")

    def _read_desk(self) -> Json:
        self._log_in()
        address = f"{self._site.address.replace('http', 'ws', 1)}api/desk"
        with connect(address, max_size=None, open_timeout=10) as line:
            line.send(self._token)
            while True:
                said = json.loads(line.recv(timeout=20))
                if "all" in said:
                    found: Json = said["all"]
                    return found

    def _log_in(self) -> None:
        if not self._token:
            login = {"name": "Ana", "password": PASSWORD}
            self._token = ask(self._site.address, "api/login", login)["token"]

    async def ask(self, path: str, body: Json) -> Json | None:
        """The hall's answer, None if it refuses.

        Raises `NoAnswerError`.
        """
        found: Json | None = await self._answer(asyncio.to_thread(self._ask, path, body))
        return found

    def _ask(self, path: str, body: Json) -> Json | None:
        self._log_in()
        try:
            found: Json = ask(self._site.address, path, body, self._token)
        except HTTPError as fault:
            with fault:
                told = fault.read().decode(errors="replace")[:120]
            self.refusals[f"{fault.code} {path.split('/')[-1]}: {told}"] += 1
            if fault.code == 401:
                self._token = ""
            return None
        return found

    @property
    def book(self) -> list[Json]:
        """The entries that the desk has shown at any time."""
        return [self._entries[number] for number in sorted(self._entries)]

    async def _answer(self, asking: Any) -> Any:
        try:
            return await asking
        except (OSError, HTTPException, WebSocketException, ValueError, EOFError) as fault:
            if isinstance(fault, HTTPError):
                fault.close()
            raise NoAnswerError from fault

    # --- single acts ---

    def _fresh(self, what: str) -> str:
        self._number += 1
        return f"{what} {self._number}"

    async def _act(self, act: Json, *only: str) -> None:
        """Do *act*, whose fields *only* tell it from all others."""
        told = await self.ask("api/acts", act)
        if told and told["number"]:  # a result that contradicts the station's is asked about
            self.acts.append({name: act[name] for name in ("is", *only)})

    async def order(self, station: str, command: Json) -> None:
        """Give an order with a note of its own."""
        note = self._fresh("order")
        told = await self.ask("api/orders", {"board": station, "command": command, "note": note})
        if told is not None:
            self.acts.append({"is": "Ordered", "board": station, "order": told["order"]})

    async def _something(self) -> None:
        draw = self._chance.random()
        known = [station for station in (*SEATS, GUEST) if f"board/{station}" in self.desk]
        if not known:  # the hall has just started
            return
        station = self._chance.choice(known)
        if draw < 0.4:
            await self._act({"is": "Noted", "text": self._fresh("note")}, "text")
        elif draw < 0.6:
            await self.order(station, {"is": "AdjustClock", "side": self._chance.randrange(2), "by_ms": 1000})
        elif draw < 0.65 and not self._paused:
            self._paused.add(station)
            await self.order(station, {"is": "Pause"})
        for paused in sorted(self._paused if draw > 0.65 else ()):
            await self.order(paused, {"is": "Resume"})
            self._paused.discard(paused)

    async def resume_all(self) -> None:
        """Resume what is paused still."""
        for station in sorted(self._paused):
            await self.order(station, {"is": "Resume"})
            self._paused.discard(station)

    async def invite(self, station: str) -> str:
        """A code with which *station* joins, empty if the hall does not answer."""
        try:
            told = await self.ask("api/tables/invite", {"board": station})
        except NoAnswerError:
            return ""
        return str(told["code"]) if told else ""

    # --- the tournament ---

    async def _tournament(self) -> None:
        current = self._current()
        if current is None:
            if not self.is_resting:
                await self._announce()
            return
        key, told = current
        rounds = told["rounds"]
        if not rounds or rounds[-1]["is_complete"]:
            if not self.is_resting:
                await self.ask(f"api/tournaments/{key}/rounds", {})
            return
        await self._decide(key, rounds[-1])
        if not self.is_resting:
            await self._seat(key, rounds[-1])

    def _current(self) -> tuple[str, Json] | None:
        """The tournament that is played, with its state."""
        for name, told in self.desk.items():
            if name.startswith("tournament/"):
                rounds = told["rounds"]
                if len(rounds) < ROUNDS or not rounds[-1]["is_complete"]:
                    return told["key"], told
        return None

    async def _announce(self) -> None:
        key = self._fresh("cup").replace(" ", "")
        opened = {"is": "Opened", "key": key, "name": key, "format": "swiss", "game": "chess"}
        await self._act(opened, "key")
        names = "".join(f"{key} player {number},{2000 - number}\n" for number in range(2 * len(SEATS)))
        await self.ask(f"api/tournaments/{key}/players", {"csv": f"name,rating\n{names}"})

    async def _decide(self, key: str, last: Json) -> None:
        """Enter what the stations have reported."""
        for table in last["tables"]:
            if table["reported"] is not None and table["points"] is None:
                points = [round(2 * each) for each in table["reported"]]
                place = {"key": key, "round": last["number"], "table": table["table"]}
                decided = {"is": "ResultDecided", **place, "points": points, "note": self._fresh("result")}
                await self._act(decided, "note")

    async def _seat(self, key: str, last: Json) -> None:
        """Seat the tables whose station plays another game."""
        wanted = [table for table in last["tables"] if self._needs_station(key, last["number"], table)]
        stations = dict(zip((table["table"] for table in last["tables"]), SEATS, strict=False))
        if len(wanted) == len(last["tables"]):
            order = [stations[table["table"]] for table in last["tables"]]
            over = self._yes(order)
            await self.ask(f"api/tournaments/{key}/seats", {"boards": order, "over_games": over})
            return
        for table in wanted:
            station = stations[table["table"]]
            body = {"round": last["number"], "table": table["table"], "board": station}
            told = await self.ask(f"api/tournaments/{key}/boards", body)
            if told and (told["under_way"] or (told["silent"] and self._chance.random() < 0.5)):
                self._yes([station])
                await self.ask(f"api/tournaments/{key}/boards", {**body, "over_game": True})

    def _yes(self, stations: list[str]) -> list[str]:
        """Say yes to what is under way at *stations*."""
        after = max((entry["number"] for entry in self.book), default=0)
        self.consents += [Consent(station, after) for station in stations]
        return stations

    def _needs_station(self, key: str, number: int, table: Json) -> bool:
        """True if *table* has no station, or its station refused to begin its game."""
        if table["points"] is not None or table["reported"] is not None:
            return False
        place = {"key": key, "round": number, "table": table["table"]}
        acts = [entry["act"] for entry in self.book]
        orders = [act["order"] for act in acts if act["is"] == "TableGiven" and place.items() <= act.items()]
        if not orders:
            return True
        return any(act["is"] == "Obeyed" and act["order"] == orders[-1] and act.get("fault") for act in acts)

    def open_orders(self) -> list[str]:
        """Orders in the book that no station has answered."""
        acts = [entry["act"] for entry in self.book]
        obeyed = {act["order"] for act in acts if act["is"] == "Obeyed"}
        return [
            f"{act['board']} {act['order']}"
            for act in acts
            if act["is"] == "Ordered" and act["order"] not in obeyed
        ]
