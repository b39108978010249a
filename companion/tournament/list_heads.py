# SPDX-License-Identifier: Apache-2.0
"""Heads of columns in the lists of players that programs and federations write.

Known are those of Swiss-Manager, Chess-Results and FIDE, and of the national lists DSB, ECF, KNSB,
FSI, CFR, SSL, CFC, CHESSA, DSU and JCF. A head is compared without case, blanks and marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from companion.model.phrase import Phrase

COLUMNS: Final = ("name", "rating", "title", "federation", "licence", "born", "sex", "team")
"""Columns of a list; only the name is required."""

_HEADS: Final = {
    "name": "name player players participant participants teilnehmer participante participantes sudionik fullname full_name namevorname spielername spieler nominativo navn naam nama nome nombre nom ime "
    "jugador joueur igrač igrac 名前 氏名 選手",
    "surname": "surname lastname last familyname nachname familienname apellido apellidos nomdefamille prezime sukunimi "
    "cognome achternaam efternavn 姓",
    "first": "firstname first forename forenames givenname vorname rufname prénom prenom etunimi voornaam fornavn 名",
    "international": "rtgi rtgint ratingint ratingi eloi eloint elof fideelo elofide fiderating ratingfide fidertg rtgfide "
    "fideelozahl elofidestd fidestd intelo internationalrating fide",
    "rating": "rating rtg elo srtng rat elozahl wertung wertungszahl twz puntuación classement rejting レーティング "
    "レイティング st standard standar std",
    "national": "rtgn rtgnat ratingnat ratingn elon elonat natelo nationalrating dwz nwz revisedstandard originalstandard "
    "ecf ecfrating ecfstandard uscf uscfrating regular selo lask",
    "title": "title titel tit titl título titulo titre titula fidetitle fidetitel gelar 称号 タイトル wtit wtitle fidefrauentitel",
    "federation": "federation fed fédération federación föderation federazione federacija savez country nation land fideland "
    "país pais pays zemlja maa 国 連盟",
    "licence": "licence fideid idfide fideidno fideno fidenr fidenumber fidecode codefide idnumber fidenummer fin",
    "id": "id idno",
    "born": "born birth birthday bday bdate birthdate dateofbirth birthyear yearofbirth yob geburtsdatum geburtsjahr geb "
    "jahrgang geboren født tgllahir datanascita annonascita fechadenacimiento nacimiento fnac naissance datedenaissance "
    "datumrođenja godinarođenja godište 生年月日 生年",
    "sex": "sex gender geschlecht sexo sexe spol 性別 lp s",
    "team": "team mannschaft équipe equipo equipe tim ekipa チーム club clubcity clubname verein vereinort vereinname clubort "
    "clubciudad clubville klub klubmjesto klubgrad seura vereniging クラブ",
}
"""Heads by what they mean, the best of each first."""


def plain_head(head: str) -> str:
    """*head* for comparison: "FIDE-ID" and "fide id" are the same.

    >>> plain_head("Club/City")
    'clubcity'
    """
    return "".join(each for each in normalize("NFKC", head).casefold() if each.isalnum())


_MEANING: Final = {
    plain_head(head): (meaning, rank)
    for meaning, heads in _HEADS.items()
    for rank, head in enumerate(heads.split())
}
_FURTHER: Final = {"title", "born"}
"""Columns of which all count, for players who lack the first."""
_RATINGS: Final = ("international", "rating", "national")
"""Kinds of ratings, the one that is taken first before the others."""


@dataclass(frozen=True, slots=True)
class Heads:
    """Which cells of a row are which column of a list."""

    width: int
    """Cells of the row of heads."""
    at: dict[str, tuple[int, ...]]
    """By column the places of its cells, the one to take first before the others.

    A name may be in two cells, `surname` and `first`.
    """
    notes: tuple[Phrase, ...] = ()
    """What was guessed or left out."""

    @property
    def has_ratings(self) -> bool:
        """True if a column has ratings."""
        return "rating" in self.at


def known(cells: Sequence[str]) -> int:
    """How many of *cells* are known heads; 0 without one of names."""
    meanings = {_MEANING[head][0] for head in map(plain_head, cells) if head in _MEANING}
    return len(meanings) if meanings & {"name", "surname"} else 0


def read_heads(cells: Sequence[str], has_titles: int = -1) -> Heads:
    """The columns under the heads *cells*; that of titles may have none.

    It is at the place *has_titles*, if that is not negative.
    """
    found = _found(cells)
    best = {meaning: min(places)[1] for meaning, places in found.items()}
    notes = []
    if has_titles >= 0 and "title" not in best:
        best["title"] = has_titles
        notes.append(Phrase("the column without a head is taken for the titles"))
    if "id" in best and "licence" not in best:
        best["licence"] = best["id"]
        notes.append(Phrase("the column {head!r} is taken for the FIDE id", head=cells[best["id"]].strip()))
    ratings = tuple(best[kind] for kind in _RATINGS if kind in best)
    if len(ratings) > 1:
        order = tuple(cells[place].strip() for place in ratings)
        notes.append(Phrase("ratings are taken from the columns {columns}, in this order", columns=order))
    at = {column: (best[column],) for column in COLUMNS if column in best} | _names(best)
    if ratings:
        at["rating"] = ratings
    for column in _FURTHER & at.keys():
        at[column] += tuple(place for _, place in sorted(found.get(column, ())) if place != best[column])
    used = {place for places in at.values() for place in places}
    left_out = tuple(cell.strip() for place, cell in enumerate(cells) if cell.strip() and place not in used)
    if left_out:
        notes.append(Phrase("these columns are left out: {columns}", columns=left_out))
    return Heads(len(cells), at, tuple(notes))


def _found(cells: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """The known heads by meaning: how far they are from the best, and their places."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place, head in enumerate(cells):
        meaning, rank = _MEANING.get(plain_head(head), ("", 0))
        if meaning:
            found.setdefault(meaning, []).append((rank, place))
    return found


def _names(best: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Where names are: in one cell, or in two.

    "Name" beside one half of a name is the other half, except in a list that has both halves, too.
    """
    name, surname, first = (best.get(part) for part in ("name", "surname", "first"))
    if name is not None and surname is None and first is not None:
        return {"name": (name, first)}
    if name is not None and surname is not None and first is None:
        return {"name": (surname, name)}
    if name is not None:
        return {"name": (name,)}
    return {"name": tuple(each for each in (surname, first) if each is not None)}
