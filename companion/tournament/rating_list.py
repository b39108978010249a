# SPDX-License-Identifier: Apache-2.0
"""Players looked up in a rating list: the federation's, or a table.

The federation's file (`standard_rating_list.txt` and the combined one) has columns of fixed width
under the heads of its first line; a table has its column names there, as for lists of players.
The file may have a million lines: each is read once, and only wanted players are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.tournament.roster import read_roster
from companion.tournament.values import Player

_ID, _NAME, _FEDERATION, _SEX, _TITLE, _BORN = "ID Number", "Name", "Fed", "Sex", "Tit", "B-day"
_SEXES: Final = {"M": "m", "F": "w"}


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Players with what the list knows of them."""

    players: tuple[Player, ...]
    missing: tuple[str, ...]
    """Names that the list does not have."""
    ambiguous: tuple[str, ...]
    """Names that several players of the list have; the id would tell them apart."""

    def notes(self) -> tuple[Phrase, ...]:
        """Sentences about those who were not found."""
        missing = Phrase("not in the rating list: {players}", players=self.missing)
        ambiguous = Phrase(
            "several in the rating list, whom an id in the column `licence` tells apart: {players}",
            players=self.ambiguous,
        )
        return (missing,) * bool(self.missing) + (ambiguous,) * bool(self.ambiguous)


def looked_up(players: Sequence[Player], lines: Iterable[tuple[int, str]]) -> LookedUp:
    """*players* as the list of numbered *lines* has them, by id, else by name.

    What a player entered stays. Raises `TournamentError` naming the line.
    """
    ids = {player.licence for player in players if player.licence}
    names = {plain_name(player.name) for player in players}
    by_id: dict[str, Player] = {}
    by_name: dict[str, list[Player]] = defaultdict(list)
    for known in _listed(lines):
        if known.licence in ids:
            by_id[known.licence] = known
        if plain_name(known.name) in names:
            by_name[plain_name(known.name)].append(known)
    found: list[Player] = []
    missing: list[str] = []
    ambiguous: list[str] = []
    for player in players:
        same = [by_id[player.licence]] if player.licence in by_id else by_name[plain_name(player.name)]
        if player.licence and player.licence not in by_id:
            same = []
        if len(same) == 1:
            found.append(_completed(player, same[0]))
            continue
        found.append(player)
        (ambiguous if same else missing).append(player.name)
    return LookedUp(tuple(found), tuple(missing), tuple(ambiguous))


def _completed(player: Player, known: Player) -> Player:
    """*player* with what only the list has; the rating is the list's."""
    return replace(
        player,
        rating=known.rating or player.rating,
        title=player.title or known.title,
        federation=player.federation or known.federation,
        licence=player.licence or known.licence,
        born=player.born or known.born,
        sex=player.sex or known.sex,
    )


def plain_name(name: str) -> str:
    """*name* for comparison: "Carlsen, Magnus" and "Magnus Carlsen" are the same."""
    return " ".join(sorted(name.casefold().replace(",", " ").split()))


def _listed(lines: Iterable[tuple[int, str]]) -> Iterator[Player]:
    """The players of a list. Raises `TournamentError` naming the line."""
    rows = iter(lines)
    head = next(rows, (1, ""))[1].removeprefix("\ufeff").rstrip("\r\n")
    if not head.startswith(_ID):
        yield from read_roster("\n".join(chain((head,), (row.rstrip("\r\n") for _, row in rows))))
        return
    columns = _columns(head)
    for number, row in rows:
        text = row.rstrip("\r\n")
        if not text.strip():
            continue
        cells = {name: text[start:end].strip() for name, (start, end) in columns.items()}
        rating = cells["rating"] or "0"
        if not cells[_ID].isdecimal() or not cells[_NAME] or not rating.isdecimal():
            raise TournamentError(
                "line {line} of the rating list is not understood: {text!r}", line=number, text=text[:60]
            )
        yield Player(
            number - 1,
            cells[_NAME],
            int(rating),
            cells[_TITLE],
            cells[_FEDERATION],
            cells[_ID],
            cells[_BORN],
            _SEXES.get(cells[_SEX], ""),
        )


def _columns(head: str) -> dict[str, tuple[int, int | None]]:
    """Where each column begins and ends. Raises `TournamentError` if one is missing."""
    words = [(_ID, 0)]
    place = len(_ID)
    for word in head[place:].split():
        place = head.index(word, place)
        words.append((word, place))
        place += len(word)
    ends = [start for _, start in words[1:]]
    found: dict[str, tuple[int, int | None]] = {
        word: (start, end) for (word, start), end in zip(words, [*ends, None], strict=True)
    }
    standard = [word for word in found if word in ("SRtng", "Rtng") or _is_month(word)]
    rating = standard[0] if standard else ""
    absent = [word for word in (_NAME, _FEDERATION, _SEX, _TITLE, _BORN) if word not in found]
    if absent or not rating:
        raise TournamentError(
            "line 1 of the rating list lacks the columns {columns}", columns=tuple(absent or ["SRtng"])
        )
    found["rating"] = found[rating]
    return found


def _is_month(word: str) -> bool:
    """True for a month such as `NOV26`, which heads the ratings of one list."""
    return len(word) == 5 and word[:3].isalpha() and word[3:].isdecimal()
