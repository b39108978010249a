# SPDX-License-Identifier: Apache-2.0
"""Players looked up in a rating list: the federation's, or a table.

The federation's file (`standard_rating_list.txt` and the combined one) is read by
`fixed_width`; a table has its column names above, as for lists of players. The file may have a
million lines: each is read once, and only wanted players are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias

from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.fixed_width import Damaged, is_fixed_width, read_fixed_width
from companion.tournament.player_table import read_table
from companion.tournament.roster import UNRATED, read_roster
from companion.tournament.values import Player

MOST_NOTES: Final = 20
"""Lines of a rating list that are named when they are not understood."""
Wanted: TypeAlias = Container[str]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Players with what the list knows of them."""

    players: tuple[Player, ...]
    missing: tuple[str, ...] = ()
    """Names that the list does not have."""
    ambiguous: tuple[str, ...] = ()
    """Names that several players of the list have; the id would tell them apart."""
    left_out: tuple[Note, ...] = ()
    """What was left out or guessed, with its line in the rating list."""

    def notes(self) -> tuple[Phrase, ...]:
        """Sentences about those who were not found, and about the list."""
        missing = Phrase("not in the rating list: {players}", players=self.missing)
        ambiguous = Phrase(
            "several in the rating list, whom an id in the column `licence` tells apart: {players}",
            players=self.ambiguous,
        )
        return (
            (missing,) * bool(self.missing)
            + (ambiguous,) * bool(self.ambiguous)
            + tuple(
                Phrase("in the rating list, line {line}: {what}", line=note.line, what=note.what)
                if note.line
                else Phrase("in the rating list: {what}", what=note.what)
                for note in self.left_out
            )
        )


@dataclass
class _Found:
    """What a list has of the wanted players."""

    by_id: dict[str, Player] = field(default_factory=dict)
    by_name: dict[str, list[Player]] = field(default_factory=lambda: defaultdict(list))
    damaged: set[str] = field(default_factory=set)
    """Ids and plain names in lines that are not understood."""
    notes: list[Note] = field(default_factory=list)
    more: int = 0
    """Lines that are not understood, after the first ones."""

    def add(self, known: Player) -> None:
        """Take *known* from the list; a player may be there twice, once for each club."""
        if known.licence:
            self.by_id.setdefault(known.licence, known)
        same = self.by_name[plain_name(known.name)]
        if not known.licence or all(each.licence != known.licence for each in same):
            same.append(known)

    def leave_out(self, damaged: Damaged) -> None:
        """Note a line that is not understood."""
        self.damaged |= {damaged.licence, plain_name(damaged.name)} - {""}
        if len(self.notes) >= MOST_NOTES:
            self.more += 1
            return
        what = Phrase("it is not understood, and is left out: {text!r}", text=damaged.text)
        self.notes.append(Note(damaged.line, what))

    def all_notes(self) -> tuple[Note, ...]:
        """All notes, with the count of the lines that have none of their own."""
        more = Phrase("{count} more lines are not understood, and are left out", count=self.more)
        return (*self.notes, *(Note(0, more),) * bool(self.more))


def read_players(
    text: str, rating_list: Iterable[tuple[int, str]] | None = None
) -> tuple[tuple[Player, ...], tuple[Phrase, ...]]:
    """The players of the table *text*, and sentences about what is not brought.

    They are completed from the numbered lines of *rating_list*. Raises `TournamentError`.
    """
    reading = read_roster(text)
    if rating_list is None:
        return reading.value, reading.sentences()
    completed = looked_up(reading.value, rating_list)
    about = tuple(note.sentence() for note in reading.notes if note != UNRATED)
    return completed.players, about + completed.notes()


def looked_up(players: Sequence[Player], lines: Iterable[tuple[int, str]]) -> LookedUp:
    """*players* as the list of numbered *lines* has them, by id, else by name.

    What a player entered stays. Raises `TournamentError` for a text that is no rating list.
    """
    ids = {player.licence for player in players if player.licence}
    names = {plain_name(player.name) for player in players}
    listed = _listed(lines, ids, names)
    found: list[Player] = []
    missing: list[str] = []
    ambiguous: list[str] = []
    for player in players:
        name = plain_name(player.name)
        if player.licence:
            same = [listed.by_id[player.licence]] if player.licence in listed.by_id else []
        else:
            same = listed.by_name[name]
        found.append(_completed(player, same[0]) if len(same) == 1 else player)
        if len(same) > 1:
            ambiguous.append(player.name)
        elif not same and not listed.damaged & {player.licence or name}:
            missing.append(player.name)
    return LookedUp(tuple(found), tuple(missing), tuple(ambiguous), listed.all_notes())


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


def _listed(lines: Iterable[tuple[int, str]], ids: Wanted, names: Wanted) -> _Found:
    """What a list has of the players with these ids or plain names. Raises `TournamentError`."""
    rows = iter(lines)
    number, head = next(rows, (1, ""))
    head = head.removeprefix("\ufeff").rstrip("\r\n")
    if is_fixed_width(head):
        return _in_fixed_width(head, rows, ids, names)
    return _in_table(chain(((number, head),), rows), ids, names)


def _in_fixed_width(head: str, rows: Iterator[tuple[int, str]], ids: Wanted, names: Wanted) -> _Found:
    found = _Found()
    notes, listed = read_fixed_width(
        head, rows, lambda licence, name: licence in ids or plain_name(name) in names
    )
    found.notes += notes
    for each in listed:
        if isinstance(each, Damaged):
            found.leave_out(each)
        else:
            found.add(each)
    return found


def _in_table(lines: Iterable[tuple[int, str]], ids: Wanted, names: Wanted) -> _Found:
    table = read_table(lines)
    found = _Found()
    found.notes += table.notes
    for row in table.rows:
        licence, name = table.key(row)
        if licence not in ids and plain_name(name) not in names:
            continue
        player, notes = table.player(row, row.line)
        if player is None:
            found.leave_out(Damaged(row.line, licence, name, " ".join(row.cells)[:60]))
        else:
            found.notes += notes
            found.add(player)
    return found
