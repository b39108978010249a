# SPDX-License-Identifier: Apache-2.0
"""Pawns of GOTTAZ and the sets they come in: data, because the rulebook does not say what is on which face."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.games._shared.bundled import bundled
from companion.model.errors import SettingsError
from companion.model.toml import build, parse, text_of

ABILITIES: Final = ("leap", "support", "supply", "swap", "slant", "tsunami", "jump", "rotate")
LETTERS: Final = "LUSWDTJR"
"""One letter for each ability, in the same order: `U` sUpport, `W` sWap, `D` slant (diagonal)."""
SHARES: Final = {1: 4, 2: 4, 3: 2}
"""How many pawns of ten have this strength on their weaker face: four 1/5, four 2/4, two 3/3. Source: rulebook, Caution 1."""


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
        """`L5`."""
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
    def slug(self) -> str:
        """`supply-1-leap-5`."""
        return f"{self.weak.slug}-{self.strong.slug}"

    def sign(self, face: int) -> str:
        """`S1L5`, the face that is up first."""
        return self.faces[face].sign + self.faces[1 - face].sign


@dataclass(frozen=True, slots=True)
class _SetFile:
    """What a pawn-set file holds."""

    title: str
    pawns: tuple[str, ...]


def read_pawns(text: str, source: str) -> tuple[Pawn, ...]:
    """The pawns of a set file, in its order. Raises `SettingsError` naming *source* and the pawn."""
    return tuple(_read_pawn(name, source) for name in build(_SetFile, parse(text, source), source).pawns)


def load_pawns(name: str) -> tuple[Pawn, ...]:
    """The pawns of a set of ours or of the file *name*. Raises `SettingsError`."""
    inside = bundled("pawn_sets", name)
    return read_pawns(text_of(Path(name)), name) if inside is None else read_pawns(inside, f"{name}.toml")


def load_ten(name: str) -> tuple[Pawn, ...]:
    """The ten pawns of a set that is played as it is. Raises `SettingsError` if they are not four, four and two."""
    pawns = load_pawns(name)
    for strength, share in SHARES.items():
        count = sum(pawn.weak.strength == strength for pawn in pawns)
        if count != share:
            kind = f"{strength}/{6 - strength}"
            raise SettingsError(f"{name}: {count} pawns are {kind}; a set has four 1/5, four 2/4 and two 3/3")
    return pawns


def _read_pawn(name: str, source: str) -> Pawn:
    """The pawn written as `supply-1/leap-5`."""
    weak, slash, strong = name.partition("/")
    faces = [_read_face(part, name, source) for part in (weak, strong if slash else "")]
    if faces[0].strength + faces[1].strength != 6 or faces[0].strength > faces[1].strength:
        raise SettingsError(f"{source}: {name!r}: strengths are 1/5, 2/4 or 3/3, the weaker face first")
    return Pawn(*faces)


def _read_face(text: str, name: str, source: str) -> Face:
    """The face written as `leap-5`."""
    ability, _, strength = text.partition("-")
    if ability not in ABILITIES or strength not in {"1", "2", "3", "4", "5"}:
        known = ", ".join(ABILITIES)
        raise SettingsError(
            f"{source}: {name!r}: a face is an ability ({known}), a hyphen and a strength from 1 to 5"
        )
    return Face(ability, int(strength))
