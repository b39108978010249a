# SPDX-License-Identifier: Apache-2.0
"""An arbiter's desk without a page: what is done there is asked of a hall that runs, by the same ways and with the same password.

Its rule: nothing is written into the book but by the hall itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any, Final, TypeAlias
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from companion.host.codec import encode
from companion.host.text.os_errors import why
from companion.model.errors import HallUnreachable, SettingsError, TournamentError
from companion.tournament.acts import Act, DelaySet, Opened

Json: TypeAlias = dict[str, Any]

_TIMEOUT_S: Final = 60.0
"""A large round takes a while to be paired."""


class _Straight(HTTPRedirectHandler):
    """Goes where it was sent and nowhere else: it has a password with it."""

    def redirect_request(self, *_: object) -> None:
        """Nothing is asked of anybody else."""


_STRAIGHT: Final = build_opener(_Straight, ProxyHandler({}))


class RemoteDesk:
    """A desk at the hall of an address, with an arbiter at it."""

    def __init__(self, address: str, token: str = "") -> None:
        self._address = address.rstrip("/")
        self._token = token

    def ask(self, path: str, body: Json) -> Json:
        """What the hall answers to a POST of *body*. Raises `HallUnreachable`, `TournamentError` if it refuses."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        request = Request(f"{self._address}/{path}", json.dumps(body).encode(), headers)
        try:
            with _STRAIGHT.open(request, timeout=_TIMEOUT_S) as answer:
                told: Json = json.load(answer)
        except HTTPError as fault:
            with fault:
                raise TournamentError("{reason}", reason=_reason(fault)) from None
        except (OSError, HTTPException, ValueError) as fault:
            raise HallUnreachable(
                "no hall answers at {address}: {reason}. Is `companion hall` running? --at says where",
                address=self._address,
                reason=why(fault),
            ) from fault
        return told

    def act(self, act: Act) -> None:
        """Have *act* written into the book. Raises as `ask` does."""
        self.ask("api/acts", encode(Act, act))

    def announce(self, opened: Opened, delay_s: int) -> None:
        """Open a tournament that spectators see so much later. Raises as `ask` does."""
        self.act(opened)
        if delay_s:
            self.act(DelaySet(opened.key, delay_s))

    def enter(self, key: str, text: str) -> Json:
        """Enter the players of a list or report; how many they are, and which rounds. Raises as `ask` does."""
        return self.ask(f"api/tournaments/{quote(key, safe='')}/players", {"csv": text})

    def pair(
        self, key: str, boards: Sequence[str], *, over_games: bool = False
    ) -> tuple[int, int, Sequence[str]]:
        """Pair the next round and seat its tables at *boards*, as a `Desk` does. Raises as `ask` does."""
        of = f"api/tournaments/{quote(key, safe='')}"
        number = int(self.ask(f"{of}/rounds", {})["round"])
        if not boards:
            return number, 0, ()
        left = list(boards) if over_games else []
        told = self.ask(f"{of}/seats", {"boards": list(boards), "over_games": left})
        return number, int(told["seated"]), [str(board) for board in told["under_way"]]


@contextmanager
def at_desk(address: str, name: str, password: str) -> Iterator[RemoteDesk]:
    """A desk of *name* at the hall at *address* meanwhile. Raises `SettingsError`, and as `RemoteDesk.ask` does."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise SettingsError(
            "{address!r} is no address of a hall: it wants http://HOST:PORT/ or https://", address=address
        )
    token = RemoteDesk(address).ask("api/login", {"name": name, "password": password})["token"]
    desk = RemoteDesk(address, token)
    try:
        yield desk
    finally:
        desk.ask("api/logout", {})


def _reason(fault: HTTPError) -> str:
    """Why the hall refuses."""
    text = fault.read().decode(errors="replace")
    try:
        detail = json.loads(text)["detail"]
    except (ValueError, LookupError, TypeError):
        return text.strip() or f"the hall answers {fault.code}"
    details = detail if isinstance(detail, list) else [detail]
    return "; ".join(str(each.get("msg", each)) if isinstance(each, dict) else str(each) for each in details)
