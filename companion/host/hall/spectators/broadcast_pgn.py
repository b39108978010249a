# SPDX-License-Identifier: Apache-2.0
"""Games of chess for broadcasts: a PGN file per round, and POSTs.

Its rule: it reads the delayed view, so it is as late as spectators are. A failed push is repeated
and delays nobody. A broadcast takes 64 games, so the games of a round fill one after another.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from companion.host.hall.core.finished_games import Place, copies, game_of, given_again, places
from companion.host.hall.core.hall import Hall
from companion.host.records.export import save, to_pgn
from companion.host.records.records import KeptGame, winners
from companion.host.text.os_errors import why
from companion.model.errors import CompanionError, InvalidArgument, StoreError
from companion.model.notation import GameRecord
from companion.model.phrase import Phrase
from companion.tournament.acts import TableGiven
from companion.tournament.book import Running
from companion.tournament.values import DRAW, LOSS, WIN, Pairing, Player, Points

_LOG = logging.getLogger(__name__)

TOKEN: Final = "COMPANION_PUSH_TOKEN"
"""Environment variable with the token for pushed games."""
EVERY_S: Final = 2.0
"""Interval between two looks."""
_TIMEOUT_S: Final = 10.0
CHESS: Final = "chess"
"""The only game with PGN."""
_WINNERS: Final[Mapping[tuple[Points, ...], str]] = {
    (WIN, LOSS): "white",
    (LOSS, WIN): "black",
    (DRAW, DRAW): "draw",
}
"""Winner in records, by points."""


MOST_GAMES: Final = 64
"""Games that one broadcast takes."""
_TARGET: Final = re.compile(r"(?:(?P<round>\d+)=)?(?P<url>.*)")


@dataclass(frozen=True, slots=True)
class Target:
    """A broadcast that receives games by POST."""

    url: str
    round: int = 0
    """The round that it shows; 0 for the current one."""


@dataclass(frozen=True, slots=True)
class Relay:
    """Destination of the games."""

    folder: Path | None = None
    """Folder for a file per round."""
    targets: tuple[Target, ...] = ()
    """Broadcasts; several of one round take its games one after another."""
    token: str = ""
    """Bearer token for the POSTs."""
    with_ids: bool = False
    """True to include the players' federation ids."""


def relay_to(folder: Path | None, pushes: Iterable[str], *, with_ids: bool = False) -> Relay | None:
    """Return the destination of games with the environment's token; None without one.

    Each of *pushes* is a URL, after `ROUND=` if it is not for the current round. Raises
    `InvalidArgument`.
    """
    targets = tuple(map(_target, pushes))
    return Relay(folder, targets, os.environ.get(TOKEN, ""), with_ids) if folder or targets else None


def _target(text: str) -> Target:
    """Return the broadcast that *text* names. Raises `InvalidArgument`."""
    found = _TARGET.fullmatch(text)
    assert found is not None
    parts = urlsplit(found["url"])
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise InvalidArgument(
            "games cannot be pushed there: name http://HOST/PATH or https://, with a token in "
            "{variable} if the server needs one",
            variable=TOKEN,
        )
    return Target(found["url"], int(found["round"] or 0))


async def relay(hall: Hall, to: Relay) -> None:
    """Write and push changed rounds until cancelled."""
    games = Games(hall, with_ids=to.with_ids)
    written, pushed = dict[str, str](), dict[str, str]()
    while True:
        texts = await asyncio.to_thread(games.rounds)
        if to.folder:
            faults = await asyncio.to_thread(_send, partial(_write, to.folder), texts, written)
            hall.complain("games written", *faults)
        if to.targets:
            shares, faults = await asyncio.to_thread(shared_out, games.of_all, to.targets)
            faults += await asyncio.to_thread(_send, partial(_push, to), shares, pushed)
            hall.complain("games pushed", *faults)
        await asyncio.sleep(EVERY_S)


def shared_out(
    games_of: Callable[[int], Sequence[str]], targets: Iterable[Target]
) -> tuple[dict[str, str], list[str]]:
    """Return the text for each URL of *targets*, and what has no place there.

    *games_of* returns the games of a round, of the current one for 0.
    """
    texts: dict[str, str] = {}
    faults: list[str] = []
    by_round: dict[int, list[Target]] = {}
    for target in targets:
        by_round.setdefault(target.round, []).append(target)
    for number, alike in by_round.items():
        found = games_of(number)
        if len(found) > MOST_GAMES * len(alike):
            faults.append(
                Phrase(
                    "only {most} of {count} games are broadcast: name another URL with --push",
                    most=MOST_GAMES * len(alike),
                    count=len(found),
                )
            )
        for target, first in zip(alike, range(0, len(found), MOST_GAMES), strict=False):
            texts[target.url] = "\n".join(found[first : first + MOST_GAMES])
    return texts, faults


def _send(outlet: Callable[[str, str], None], texts: Mapping[str, str], sent: dict[str, str]) -> list[str]:
    """Pass the changed *texts* to *outlet*; return the faults."""
    faults: list[str] = []
    for name, text in texts.items():
        if sent.get(name) != text:
            try:
                outlet(name, text)
                sent[name] = text
            except (CompanionError, OSError) as fault:
                faults.append(
                    Phrase(
                        "{name} cannot be handed on, and is tried again: {reason}",
                        name=name,
                        reason=why(fault),
                    )
                )
    return faults


class Games:
    """Games of rounds as PGN, as far as spectators may see them; cached."""

    def __init__(self, hall: Hall, *, with_ids: bool = False) -> None:
        """*with_ids* includes the players' federation ids, by which broadcasts identify them."""
        self._hall = hall
        self._with_ids = with_ids
        self._written: dict[tuple[TableGiven, int], tuple[tuple[object, ...], str]] = {}

    def rounds(self) -> dict[str, str]:
        """Return the games of every round of all chess tournaments.

        Keys are file names.

        Empty rounds are left out.
        """
        found: dict[str, str] = {}
        for key, running in self._hall.spectators.tournaments.shown.items():
            for number in range(1, len(running.tournament.rounds) + 1):
                text = self.round(running, number)
                found |= {f"{key}-round-{number}.pgn": text} if text else {}
        return found

    def of_all(self, number: int = 0) -> list[str]:
        """Return the games of a round, or the last, of all chess tournaments."""
        found: list[str] = []
        for _, running in sorted(self._hall.spectators.tournaments.shown.items()):
            if number <= len(running.tournament.rounds):
                found += self._round(running, number)
        return found

    def round(self, running: Running, number: int = 0) -> str:
        """Return the games of a round of *running*, by default the last;

        "" if none.

        Raises `TournamentError` if the round does not exist.
        """
        return "\n".join(self._round(running, number))

    def _round(self, running: Running, number: int) -> list[str]:
        """Return the games of a round of *running*, the last if *number* is 0."""
        of, given = running.tournament, places(self._hall.spectators.tournaments.shown.values())
        if of.game != CHESS or not of.rounds:
            return []
        found = of.round(number or len(of.rounds))
        games = (self._game(running, found.number, pairing, given) for pairing in found.pairings)
        return [game for game in games if game]

    def _game(
        self, running: Running, in_round: int, pairing: Pairing, others: Mapping[str, list[Place]]
    ) -> str:
        """Return the game of *pairing* as far as it may be seen; "" if none."""
        given = running.stations.get((in_round, pairing.table))
        seen = self._hall.spectators.copied.of(given.board) if given else None
        if given is None or seen is None:
            return ""
        again, of = given_again(others, given), running.tournament
        end = min(seen, again) if again else seen
        players = tuple(of.player(number) for number in pairing.seated)
        made_of = of.name, players, pairing.latest, end
        known = self._written.get((given, in_round))
        if known is None or known[0] != made_of:
            tags = {"Event": of.name, "Round": f"{in_round}.{pairing.table}"}
            for side, player in zip(("White", "Black"), players, strict=False):
                tags |= _player_tags(side, player if self._with_ids else replace(player, licence=""))
            known = made_of, self._pgn(given, end, tags, pairing.latest)
            self._written[given, in_round] = known
        return known[1]

    def _pgn(
        self, given: TableGiven, end: Place, tags: Mapping[str, str], points: tuple[Points, ...] | None
    ) -> str:
        """Return the game at a station up to *end*, with the arbiter's result."""
        try:
            game = game_of(copies(self._hall, given, end), given)
            if game is None:
                return ""
            shown = _since_it_stood(game)
            record = _decided(shown.record, points)
            return to_pgn(replace(shown, record=replace(record, tags={**record.tags, **tags})))
        except CompanionError as fault:
            _LOG.warning("the game at %s cannot be written as PGN: %s", given.board, fault)
            return ""


def _player_tags(side: str, player: Player) -> dict[str, str]:
    """Return the PGN tags of *player*."""
    known = {
        "Title": player.title,
        "Elo": str(player.rating or ""),
        "FideId": player.licence,
        "Team": player.team,
    }
    return {side: player.name, **{f"{side}{name}": value for name, value in known.items() if value}}


def _since_it_stood(game: KeptGame) -> KeptGame:
    """Return *game* from the last adopted position on, to which PGN has no move."""
    record = game.record
    if not record.adopted:
        return game
    ply = max(record.adopted)
    since = replace(record, start=record.adopted[ply], moves=record.moves[ply:], adopted={})
    return replace(game, record=since, moves=game.moves[ply:])


def _decided(record: GameRecord, points: tuple[Points, ...] | None) -> GameRecord:
    """Return *record* with the result *points*, if it has another."""
    winner = _WINNERS.get(points) if points else None
    return (
        record
        if winner is None or winner == winners(record)
        else replace(record, result=f"{winner}: adjudication")
    )


def _write(folder: Path, name: str, text: str) -> None:
    """Write file *name* in *folder* atomically. Raises `StoreError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / f".{name}", text)
        (folder / f".{name}").replace(folder / name)
    except OSError as fault:
        raise StoreError("{path} cannot be written: {reason}", path=folder, reason=why(fault)) from fault


class _Straight(HTTPRedirectHandler):
    """Rejects redirects, which would lose the text and leak the token."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirect."""


_STRAIGHT: Final = build_opener(_Straight)


def _push(to: Relay, url: str, text: str) -> None:
    """POST *text* to the broadcast at *url*. Raises `OSError`."""
    headers = {"Content-Type": "application/x-chess-pgn; charset=utf-8", "User-Agent": "companion"}
    if to.token:
        headers["Authorization"] = f"Bearer {to.token}"
    with _STRAIGHT.open(Request(url, text.encode(), headers), timeout=_TIMEOUT_S):
        pass
