# SPDX-License-Identifier: Apache-2.0
"""Pawns of GOTTAZ and their sets.

Sets are data, because the rulebook does not define the faces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.games._shared.bundled import bundled
from companion.model.errors import SettingsError
from companion.model.toml import build, parse, text_of

ABILITIES: Final = ("leap", "support", "supply", "swap", "slant", "tsunami", "jump", "rotate")
LETTERS: Final = "LUSWDTJR"
"""A letter for each ability, in the same order.

`U` is sUpport, `W` sWap, `D` slant (diagonal).
"""
_SIGNED: Final = re.compile(rf"(\d*)([{LETTERS}][1-5])([{LETTERS}][1-5])", re.IGNORECASE)
"""A pawn in short form, with its number."""
SPELLED: Final = rf".*[;\n].*|{_SIGNED.pattern}(\+{_SIGNED.pattern})*"
"""Pattern of the sets that are no files."""
_BACKS: Final = {("rotate", 5): ("jump", 1)}
"""Faces whose back the rulebook names: Rotate 5 has Jump 1."""
SHARES: Final = {1: 4, 2: 4, 3: 2}
"""Pawns of ten by the strength of the weaker face: 1/5, 2/4, 3/3.

Source: rulebook, Caution 1.
"""


@dataclass(frozen=True, slots=True)
class Face:
    """One side of a pawn."""

    ability: str
    strength: int

    @property
    def slug(self) -> str:
        """`leap-5`."""
        return f"{self.ability}-{self.strength}"

    @property
    def sign(self) -> str:
        """Short form, `L5`."""
        return f"{LETTERS[ABILITIES.index(self.ability)]}{self.strength}"


@dataclass(frozen=True, slots=True)
class Pawn:
    """A double-sided pawn, the weaker face first; its two strengths add up to six."""

    weak: Face
    strong: Face

    @property
    def faces(self) -> tuple[Face, Face]:
        """Both faces."""
        return self.weak, self.strong

    @property
    def text(self) -> str:
        """Text in a set, `supply-1/leap-5`."""
        return f"{self.weak.slug}/{self.strong.slug}"

    @property
    def slug(self) -> str:
        """`supply-1-leap-5`."""
        return f"{self.weak.slug}-{self.strong.slug}"

    def sign(self, face: int) -> str:
        """Short form with the upper face first, `S1L5`."""
        return self.faces[face].sign + self.faces[1 - face].sign


@dataclass(frozen=True, slots=True)
class _SetFile:
    """Content of a pawn-set file."""

    title: str
    pawns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PawnSet:
    """Pawns under a title."""

    title: str
    pawns: tuple[Pawn, ...]


def find_set(value: str) -> PawnSet:
    """The set for option *value*: bundled, spelled out, or a file. Raises `SettingsError`.

    Spelled out as in a record, in short forms (`2S1L5+U1W5`), or as the text of a file.
    """
    if "\n" in value:
        return read_set(value, "pawns")
    if ";" in value:
        return _from_line(value)
    if all(_SIGNED.fullmatch(sign) for sign in value.split("+")):
        return _from_signs(value)
    inside = bundled("pawn_sets", value)
    return read_set(text_of(Path(value)), value) if inside is None else read_set(inside, f"{value}.toml")


def read_set(text: str, source: str) -> PawnSet:
    """The set in a file, in its order. Raises `SettingsError` naming *source* and the pawn."""
    file = build(_SetFile, parse(text, source), source)
    return PawnSet(file.title, _read_pawns(file.pawns, source))


def to_line(found: PawnSet) -> str:
    """One line, `title; supply-1/leap-5 leap-3/support-3`.

    Records contain it, because they must not depend on a file that may change.
    """
    return f"{found.title.replace(';', ',')}; {' '.join(pawn.text for pawn in found.pawns)}"


def _from_line(text: str) -> PawnSet:
    """The set that *text* denotes: the inverse of `to_line`. Raises `SettingsError`."""
    title, *pawns = (part.strip() for part in text.split(";"))
    if len(pawns) != 1:
        raise SettingsError(
            "pawns {text!r}: expected title and pawns, separated by a semicolon, or the name of a file",
            text=text,
        )
    return PawnSet(title, _read_pawns(pawns[0].split(), f"pawns {title}", is_recorded=True))


def _from_signs(text: str) -> PawnSet:
    """The set that *text* lists in short forms, each with its number. Raises `SettingsError`."""
    names: list[str] = []
    for sign in text.split("+"):
        found = _SIGNED.fullmatch(sign)
        assert found is not None
        faces = (
            Face(ABILITIES[LETTERS.index(each[0].upper())], int(each[1])) for each in (found[2], found[3])
        )
        weak, strong = sorted(faces, key=lambda face: face.strength)
        names += [f"{weak.slug}/{strong.slug}"] * min(int(found[1] or 1), sum(SHARES.values()) + 1)
    return PawnSet(text, _read_pawns(names, f"pawns {text}"))


def load_pool(value: str, *, is_draft: bool) -> PawnSet:
    """The pool for option *value*, from which ten can be chosen. Raises `SettingsError`.

    In a draft each side chooses ten, and no pawn of the other.
    """
    found = find_set(value)
    for strength, share in SHARES.items():
        counts = Counter(pawn for pawn in found.pawns if pawn.weak.strength == strength)
        has, needs = (len(counts), 2 * share) if is_draft else (counts.total(), share)
        if has < needs:
            raise SettingsError(
                "pool {title}: {count} pawns are {kind}; choosing needs {needs}",
                title=found.title,
                count=has,
                kind=f"{strength}/{6 - strength}",
                needs=needs,
            )
    return found


def load_ten(value: str) -> PawnSet:
    """The set for option *value*: ten pawns. Raises `SettingsError`.

    The shares of the strengths must be four, four and two.
    """
    found = find_set(value)
    for strength, share in SHARES.items():
        count = sum(pawn.weak.strength == strength for pawn in found.pawns)
        if count != share:
            kind, name = f"{strength}/{6 - strength}", f"pawns {found.title}" if ";" in value else value
            raise SettingsError(
                "{name}: {count} pawns are {kind}; a set has four 1/5, four 2/4 and two 3/3",
                name=name,
                count=count,
                kind=kind,
            )
    return found


def _read_pawns(names: Iterable[str], source: str, *, is_recorded: bool = False) -> tuple[Pawn, ...]:
    """The pawns called *names*.

    A game that was recorded with a back that the rulebook does not allow can still be replayed.
    A pawn of equal strengths is the same pawn for either order of its faces.
    """
    known: dict[frozenset[Face], Pawn] = {}
    pawns = [_read_pawn(name, source) for name in names]
    for pawn in () if is_recorded else pawns:
        _check_back(pawn, source)
    return tuple(known.setdefault(frozenset(pawn.faces), pawn) for pawn in pawns)


def _check_back(pawn: Pawn, source: str) -> None:
    """Raise `SettingsError` unless both faces of *pawn* have the back that the rulebook names."""
    for face, back in (pawn.faces, pawn.faces[::-1]):
        wanted = _BACKS.get((face.ability, face.strength))
        if wanted is not None and (back.ability, back.strength) != wanted:
            raise SettingsError(
                "{source}: {name!r}: the back of {face} is {back} (rulebook, Rotate)",
                source=source,
                name=pawn.text,
                face=face.slug,
                back=Face(*wanted).slug,
            )


def _read_pawn(name: str, source: str) -> Pawn:
    """The pawn written as `supply-1/leap-5`."""
    weak, slash, strong = name.partition("/")
    faces = [_read_face(part, name, source) for part in (weak, strong if slash else "")]
    if faces[0].strength + faces[1].strength != 6 or faces[0].strength > faces[1].strength:
        raise SettingsError(
            "{source}: {name!r}: strengths are 1/5, 2/4 or 3/3, the weaker face first",
            source=source,
            name=name,
        )
    if faces[0] == faces[1]:
        raise SettingsError(
            "{source}: {name!r}: its faces are the same, so that nobody could tell which one is up",
            source=source,
            name=name,
        )
    return Pawn(*faces)


def _read_face(text: str, name: str, source: str) -> Face:
    """The face written as `leap-5`."""
    ability, _, strength = text.partition("-")
    if ability not in ABILITIES or strength not in {"1", "2", "3", "4", "5"}:
        known = ", ".join(ABILITIES)
        raise SettingsError(
            "{source}: {name!r}: a face is an ability ({known}), a hyphen and a strength from 1 to 5",
            source=source,
            name=name,
            known=known,
        )
    return Face(ability, int(strength))
