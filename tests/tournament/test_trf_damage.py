# SPDX-License-Identifier: Apache-2.0
"""Damaged reports are read as the undamaged ones, but for what the notes name.

A note about a line covers its player, and if it names a round, just that round of the players whom
it names. What nobody could see is not damaged here: a letter of a name, a digit of a rating, id or
date, one sex for the other, byes of the same points, the rank, and lines about the event.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

import pytest

from companion.tournament.trf import write_trf
from companion.tournament.trf_reader import Report, read_trf
from companion.tournament.values import WIN, Bye, Format, Player, Tournament
from tests.processor import reference_ms
from tests.tournament.test_pairing import by_chance, played_on
from tests.tournament.test_teams import event

ROUNDS = 91
FIELDS = (48, 80)
"""Columns of rating, federation, id and date of birth."""
SIGNS = "?#*"
View: TypeAlias = "dict[tuple[str, int], object]"
"""What each player did in each round."""


def whole(chance: Random) -> Tournament:
    """A Swiss with byes, forfeits and late entries."""
    of = Tournament("Open", Format.SWISS, "chess", planned=6)
    for number in range(chance.randrange(9, 16)):
        of = of.entered(
            Player(
                0,
                f"Player{chr(65 + number)}, Ann",
                chance.randrange(1200, 2600),
                chance.choice(("", "GM", "WFM")),
                chance.choice(("CRO", "JPN")),
                str(chance.randrange(10**6, 10**8)),
                chance.choice(("1990", "1987/05/01")),
                chance.choice(("m", "w")),
            )
        )
    for each in range(chance.randrange(1, 6)):
        resting = chance.sample(range(1, len(of.players) + 1), 2)
        of = of.excused(resting[0], each + 1, Bye.HALF).excused(resting[1], each + 1, Bye.ZERO)
        of = played_on(of, by_chance(chance.randrange(10**6)), 1)
        if chance.random() < 0.5:
            table = of.rounds[-1].pairings[0]
            of = of.with_pairing(each + 1, replace(table, points=(WIN, 0), is_forfeit=True))
    return of


@dataclass
class Damaged:
    """The lines of a report, and which of them are those of players."""

    lines: list[str]
    of: list[str] = field(default_factory=list)
    """The name of the player in each line; empty for others."""

    @property
    def players(self) -> list[int]:
        """The places of the lines of players."""
        return [place for place, name in enumerate(self.of) if name]


def damaged(text: str) -> Damaged:
    """*text*, still whole."""
    lines = text.splitlines()
    return Damaged(lines, [line[14:47].strip() if line.startswith("001") else "" for line in lines])


def deleted(report: Damaged, chance: Random) -> None:
    place = chance.choice(report.players)
    del report.lines[place], report.of[place]


def doubled(report: Damaged, chance: Random) -> None:
    place = chance.choice(report.players)
    report.lines.insert(place, report.lines[place])
    report.of.insert(place, report.of[place])


def cut(report: Damaged, chance: Random) -> None:
    place = chance.choice(report.players)
    line = report.lines[place]
    report.lines[place] = line[: chance.randrange(40, len(line))]


def spoilt(report: Damaged, chance: Random) -> None:
    """A sign that cannot be there instead of another."""
    place = chance.choice(report.players)
    line = report.lines[place]
    at = chance.choice((*range(*FIELDS), *range(ROUNDS, len(line))))
    report.lines[place] = line[:at] + chance.choice(SIGNS) + line[at + 1 :]


def blanked(report: Damaged, chance: Random) -> None:
    """A blank instead of a sign of a round."""
    place = chance.choice(report.players)
    line = report.lines[place]
    at = chance.randrange(ROUNDS, len(line))
    report.lines[place] = f"{line[:at]} {line[at + 1 :]}"


def other_sign(report: Damaged, chance: Random) -> None:
    """Another opponent, colour or result."""
    place = chance.choice(report.players)
    line = report.lines[place]
    start = chance.randrange(ROUNDS, len(line), 10)
    at, signs = chance.choice(((3, "0123456789"), (5, "wb-"), (7, "10=-WLDHZ")))
    report.lines[place] = line[: start + at] + chance.choice(signs) + line[start + at + 1 :]


def shifted(report: Damaged, chance: Random) -> None:
    """A sign too much, or one that is missing."""
    place = chance.choice(report.players)
    line = report.lines[place]
    at = chance.randrange(14, len(line))
    report.lines[place] = (
        line[:at] + chance.choice(" ?7") + line[at:] if chance.random() < 0.5 else line[:at] + line[at + 1 :]
    )


def tabbed(report: Damaged, chance: Random) -> None:
    """A tab instead of the blanks behind a name."""
    place = chance.choice(report.players)
    line = report.lines[place]
    report.lines[place] = f"{line[:47].rstrip()}\t{line[48:]}"


def renumbered(report: Damaged, chance: Random) -> None:
    """Another starting number."""
    place = chance.choice(report.players)
    line = report.lines[place]
    report.lines[place] = f"001 {chance.choice((*range(1, 30), 'x', '')):>4}{line[8:]}"


def garbage(report: Damaged, chance: Random) -> None:
    place = chance.randrange(len(report.lines))
    text = "".join(chr(chance.randrange(33, 900)) for _ in range(chance.randrange(4, 40)))
    report.lines.insert(place, f"x{text}")
    report.of.insert(place, "")


def emptied(report: Damaged, chance: Random) -> None:
    place = chance.randrange(len(report.lines))
    report.lines.insert(place, chance.choice(("", "   ", "\t")))
    report.of.insert(place, "")


KINDS: Sequence[Callable[[Damaged, Random], None]] = (
    *(deleted, doubled, cut, spoilt, blanked, other_sign, shifted, tabbed, renumbered, garbage, emptied),
)


def views(of: Tournament, names: Sequence[str]) -> View:
    """What the players, who are called *names*, did in each round."""
    found: View = {}
    for each in of.rounds:
        for pairing in each.pairings:
            for number in pairing.players:
                others = tuple(names[other - 1] for other in pairing.players)
                found[names[number - 1], each.number] = (others, pairing.points, pairing.is_forfeit)
        for number, bye in each.byes:
            found[names[number - 1], each.number] = bye
    return found


def covered(report: Report, origin: Damaged) -> tuple[set[str], set[tuple[str, int]]]:
    """The players and the rounds of players that the notes name."""
    players: set[str] = set()
    rounds: set[tuple[str, int]] = set()
    for note in report.notes:
        name = origin.of[note.line - 1] if note.line else ""
        in_round = note.what.values.get("round")
        if isinstance(in_round, int):
            named = {name} | {
                origin.of[row - 1]
                for row, player in zip(report.rows, report.value.players, strict=True)
                if player.name in (note.what.values.get("player"), note.what.values.get("other"))
            }
            rounds |= {(each, in_round) for each in named}
        elif name:
            players.add(name)
    return players, rounds


def check(seed: int) -> str:
    """Damage a report, read it, and compare. Returns the kind of the damage."""
    chance = Random(seed)
    text = write_trf(whole(chance))
    sound = read_trf(text)
    assert sound.notes == (), seed
    report, kind = damaged(text), chance.choice(KINDS)
    kind(report, chance)
    found = read_trf("\n".join(report.lines))
    said = f"seed {seed}, {kind.__name__}: {[note.sentence() for note in found.notes]}"
    told = [origin for origin in (report.of[row - 1] for row in found.rows)]
    players, rounds = covered(found, report)
    before = {player.name: player for player in sound.value.players}
    lost = set(before) - set(told)
    assert not lost or found.notes, said
    for name, player in zip(told, found.value.players, strict=True):
        if name not in players:
            assert replace(player, number=0) == replace(before[name], number=0), said
    was, now = views(sound.value, [player.name for player in sound.value.players]), views(found.value, told)
    for key in was.keys() | now.keys():
        if key[0] not in players | lost and key not in rounds:
            assert now.get(key) == was.get(key), f"{key} {said}"
    return kind.__name__


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_report_is_read_but_for_what_is_named(seed: int) -> None:
    print(f"seed {seed}")
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30, 330))
def test_a_damaged_report_is_read_but_for_what_is_named_in_many_more(seed: int) -> None:
    print(f"seed {seed}")
    check(seed)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_that_is_damaged_in_many_places_ends_the_reading(seed: int) -> None:
    """Of teams, too: each player has at most one table or bye in a round."""
    chance = Random(seed)
    text = write_trf(played_on(event(4, boards=2), by_chance(3), 2) if seed % 2 else whole(chance))
    for _ in range(chance.randrange(1, 30)):
        at, size = chance.randrange(len(text)), chance.randrange(8)
        added = chance.choice(("\t", " ", "\n", "\r", "0", "9", "w", "♥", "²", "\0", "001 ", "310   1 ", ""))
        text = text[:at] + added + text[at + size :]
    found = read_trf(text).value
    for each in found.rounds:
        seen = [number for pairing in each.pairings for number in pairing.players]
        seen += [number for number, _ in each.byes]
        assert found.boards or len(seen) == len(set(seen)), seed


def test_the_time_of_reading_grows_with_the_lines_only() -> None:
    lines = [
        f"001 {number:4} m    {f'Player {number}':<33} 1800 CRO {10**6 + number:11} 1990/00/00  0.5 {number:4}"
        f"  {number + 1 if number % 2 else number - 1:4} {'bw'[number % 2]} ="
        for number in range(1, 2001)
    ]
    text = "\n".join(lines)
    start = time.process_time()
    assert len(read_trf(text).value.players) == 2000
    assert (time.process_time() - start) * 1000 < 100 * reference_ms()
