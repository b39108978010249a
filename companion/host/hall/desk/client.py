# SPDX-License-Identifier: Apache-2.0
"""HTTP client for a running hall, with an arbiter's account.

Its rule: only the hall writes into the book.
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

from companion.feedback.wordfiles import ENGLISH
from companion.host.codec import encode
from companion.host.text.os_errors import why
from companion.model.errors import HallUnreachable, SettingsError, TournamentError
from companion.model.phrase import Phrase
from companion.tournament.acts import Act, DelaySet, Opened

Json: TypeAlias = dict[str, Any]

_TIMEOUT_S: Final = 60.0
"""Pairing a large round takes a while."""


class _Straight(HTTPRedirectHandler):
    """Rejects redirects, which would leak the password."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirect."""


_STRAIGHT: Final = build_opener(_Straight, ProxyHandler({}))


class RemoteDesk:
    """An arbiter's session at a hall."""

    def __init__(self, address: str, token: str = "", language: str = ENGLISH) -> None:
        """The hall answers in *language*."""
        self._address = address.rstrip("/")
        self._headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {token}",
            "Accept-Language": language,
        }

    def ask(self, path: str, body: Json) -> Json:
        """POST *body* and return the answer.

        Raises `HallUnreachable`, `TournamentError` if refused.
        """
        request = Request(f"{self._address}/{path}", json.dumps(body).encode(), self._headers)
        try:
            with _STRAIGHT.open(request, timeout=_TIMEOUT_S) as answer:
                data: Json = json.load(answer)
        except HTTPError as fault:
            with fault:
                raise TournamentError("{reason}", reason=_reason(fault)) from None
        except (OSError, HTTPException, ValueError) as fault:
            raise HallUnreachable(
                "no hall answers at {address}: {reason}. Is `companion hall` running? --at says where",
                address=self._address,
                reason=why(fault),
            ) from fault
        return data

    def act(self, act: Act) -> None:
        """Write *act* into the book. Raises like `ask`."""
        self.ask("api/acts", encode(Act, act))

    def announce(self, opened: Opened, delay_s: int) -> None:
        """Create a tournament that spectators see *delay_s* later. Raises like `ask`."""
        self.act(opened)
        if delay_s:
            self.act(DelaySet(opened.key, delay_s))

    def enter(self, key: str, text: str) -> Json:
        """Enter the players of a list or report; return the counts. Raises like `ask`."""
        return self.ask(f"api/tournaments/{quote(key, safe='')}/players", {"csv": text})

    def request(self, key: str) -> str:
        """Return the report from which a program pairs the next round. Raises like `ask`."""
        return str(self.ask(f"api/tournaments/{quote(key, safe='')}/request", {})["report"])

    def pair(
        self, key: str, stations: Sequence[str], *, over_games: bool = False, answer: str = ""
    ) -> tuple[int, int, Sequence[str]]:
        """Pair the next round and assign *stations*, like `TournamentDesk`. Raises like `ask`."""
        of = f"api/tournaments/{quote(key, safe='')}"
        number = int(self.ask(f"{of}/rounds", {"answer": answer})["round"])
        if not stations:
            return number, 0, ()
        left = list(stations) if over_games else []
        seats = self.ask(f"{of}/seats", {"boards": list(stations), "over_games": left})
        return number, int(seats["seated"]), [str(station) for station in seats["under_way"]]


@contextmanager
def at_desk(address: str, name: str, password: str, language: str = ENGLISH) -> Iterator[RemoteDesk]:
    """Log in at *address* inside the block; the hall answers in *language*.

    Raises `SettingsError`, and like `RemoteDesk.ask`.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise SettingsError(
            "{address!r} is not the address of a hall: expected http://HOST:PORT/ or https://",
            address=address,
        )
    entrance = RemoteDesk(address, language=language)
    token = entrance.ask("api/login", {"name": name, "password": password})["token"]
    desk = RemoteDesk(address, token, language)
    try:
        yield desk
    finally:
        desk.ask("api/logout", {})


def _reason(fault: HTTPError) -> str:
    """Return why the hall refuses."""
    text = fault.read().decode(errors="replace")
    try:
        detail = json.loads(text)["detail"]
    except (ValueError, LookupError, TypeError):
        return text.strip() or Phrase("the hall answers {code}", code=fault.code)
    details = detail if isinstance(detail, list) else [detail]
    return "; ".join(str(each.get("msg", each)) if isinstance(each, dict) else str(each) for each in details)
