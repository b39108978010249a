# SPDX-License-Identifier: Apache-2.0
"""Lists of invented players, in the forms of programs and federations."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Final

from companion.tournament.values import Player

SURNAMES: Final = ("Alder", "Birch", "Čedar", "Dögel", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper")
FIRST: Final = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ida", "Jan")


def some_players(seed: int, count: int = 8) -> tuple[Player, ...]:
    """Players by chance, each with another name and id."""
    chance = Random(seed)
    names = chance.sample([f"{one}, {other}" for one in SURNAMES for other in FIRST], count)
    return tuple(
        Player(
            number,
            name,
            chance.choice([0, *range(1400, 2700, 57)]),
            chance.choice(["", "", "FM", "WIM", "GM"]),
            chance.choice(["CRO", "GER", "JPN"]),
            str(1_000_000 + chance.randrange(9_000_000)),
            str(chance.randrange(1940, 2016)),
            chance.choice("mw"),
            chance.choice(["", "Northtown", "SK Süd"]),
        )
        for number, name in enumerate(names, 1)
    )


def _table(heads: str, rows: Iterable[Sequence[object]], separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerows([heads.split(separator), *rows])
    return out.getvalue()


def _halves(player: Player) -> list[str]:
    return player.name.split(", ")


def results_server(players: Sequence[Player]) -> str:
    """The starting list of Chess-Results."""
    rows = ((p.number, p.title, p.name, p.licence, p.federation, p.rating, p.team) for p in players)
    return _table("No.;;Name;FideID;FED;Rtg;Club/City", rows, ";")


def swiss_manager(players: Sequence[Player]) -> str:
    """The text export of players of Swiss-Manager."""
    return _table(
        "Nr;Nachname;Vorname;EloInt;Fed",
        ((p.number, *_halves(p), p.rating, p.federation) for p in players),
        ";",
    )


def germany(players: Sequence[Player]) -> str:
    """The players of the German federation (DSB); here all ratings are national."""
    heads = (
        "ZPS,Mgl-Nr,Status,Spielername,Geschlecht,Spielberechtigung,Geburtsjahr,Letzte-Auswertung,DWZ,Index,"
        "FIDE-Elo,FIDE-Titel,FIDE-ID,FIDE-Land"
    )
    rows = (
        (
            "10101",
            1000 + p.number,
            "A",
            p.name,
            p.sex.upper(),
            "D",
            p.born,
            "202630",
            p.rating,
            33,
            "",
            p.title,
            p.licence,
            p.federation,
        )
        for p in players
    )
    return _table(heads, rows, ",")


def england(players: Sequence[Player]) -> str:
    """The rating list of the English federation (ECF), without its rapid and online ratings."""
    heads = (
        "ECF_code,full_name,member_no,FIDE_no,gender,nation,original_standard,standard_original_category,"
        "revised_standard,standard_revised_category,club_code,club_name,title"
    )
    rows = (
        (
            f"{100000 + p.number}A",
            p.name,
            f"ME{p.number:05}",
            p.licence,
            "F" if p.sex == "w" else "M",
            p.federation,
            1500,
            "A",
            p.rating,
            "A",
            "4NTH",
            p.team,
            p.title,
        )
        for p in players
    )
    return _table(heads, rows, ",")


def russia(players: Sequence[Player]) -> str:
    """The list of the Russian federation for Swiss-Manager; here all ratings are national."""
    rows = (
        (
            p.number,
            p.name,
            "f" if p.sex == "w" else "",
            p.federation,
            7,
            p.team,
            p.born,
            p.rating,
            p.licence,
            "",
        )
        for p in players
    )
    return _table("ID_No,Name,Sex,Fed,Clubnumber,ClubName,Birthday,Rtg_Nat,Fide_No,Rtg_Int", rows, ",")


def netherlands(players: Sequence[Player]) -> str:
    """The list of the Dutch federation (KNSB)."""
    rows = (
        (80000 + p.number, p.name, p.title, p.federation, p.rating, 12, p.born, p.sex if p.sex == "w" else "")
        for p in players
    )
    return _table("Relatienummer;Naam;Titel;FED;Rating;Nv;Geboren;S", rows, ";")


TABLES: Final[Mapping[str, tuple[Callable[[Sequence[Player]], str], str]]] = {
    "results server": (results_server, "title federation licence team"),
    "swiss manager": (swiss_manager, "federation"),
    "germany": (germany, "title federation licence born sex"),
    "england": (england, "title federation licence sex team"),
    "russia": (russia, "federation licence born team"),
    "netherlands": (netherlands, "title federation born"),
}
"""Writers of tables, and what their lists tell beside name and rating."""


def fide(players: Sequence[Player], *, is_combined: bool = False) -> str:
    """The list of FIDE as text: of standard chess, or of all kinds."""
    head = f"{'ID Number':<15}{'Name':<61}{'Fed':<4}{'Sex':<4}{'Tit':<5}{'WTit':<5}{'OTit':<15}"
    head += (
        "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag" if is_combined else "FOA NOV26 Gms K  B-day Flag"
    )
    lines = [head]
    for p in players:
        sex = "F" if p.sex == "w" else "M"
        line = f"{p.licence:<15}{p.name:<61}{p.federation:<4}{sex:<4}{p.title:<5}{'':<5}{'':<15}"
        rated = f"{p.rating or '':<6}"
        line += (
            f"{rated}{'0':<4}{'20':<3}{1234:<6}{'0':<4}{'20':<3}{1235:<6}{'0':<4}{'20':<3}"
            if is_combined
            else ""
        )
        line += "" if is_combined else f"{'':<4}{rated}{'0':<4}{'20':<3}"
        lines.append(f"{line}{p.born:<6}{'':<4}")
    return "\n".join(lines) + "\n"
