# SPDX-License-Identifier: Apache-2.0
"""What went wrong is told in every language: no reason that people read at a hall is known in English only."""

from __future__ import annotations

import ast
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import companion
from companion.feedback.wordfiles import languages
from companion.host.hall.translating import everywhere, shapes, translated

ROOT = Path(companion.__file__).parent
READ_BY_PEOPLE = {
    *("TournamentError", "OrderRefused", "StoreError", "JournalError", "HallUnreachable"),
    *("HTTPException", "Refused"),
}
OTHERS = sorted(set(languages()) - {"en"})
ON_THE_COMMAND_LINE = {
    "{0} is no store: {1}; sqlite:///FILE is one, postgresql://HOST/NAME another",
    "the store at {0} has version {1}, this program knows {2}: use a newer Companion",
    "line {0} of the book is not understood: {1}",
    "the hall has ended",
    "no hall answers at {0}: {1}. Is `companion hall` running? --at says where",
}
"""With these the hall does not begin, or has ended: nobody looks at its pages."""


JUDGES = {"plugging.py", "appearing.py", "spotting.py"}
"""Their functions return why a sensor board or a camera is not wanted."""


def shape(node: ast.expr) -> str | None:
    """A sentence with numbered gaps."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    gaps = iter(range(10))
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{next(gaps)}}}" for part in node.values
    )


def raised() -> Iterator[str]:
    """What people may be told, as it stands in the program."""
    for file in (
        *ROOT.glob("tournament/*.py"),
        *ROOT.glob("host/hall/*.py"),
        ROOT / "host/database.py",
        ROOT / "referee/correcting.py",
    ):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in READ_BY_PEOPLE:
                yield from filter(None, map(shape, node.args))
            elif (
                isinstance(node, ast.Return) and file.name in JUDGES and isinstance(node.value, ast.JoinedStr)
            ):
                yield shape(node.value) or ""


@pytest.mark.parametrize("language", OTHERS)
def test_every_reason_is_known_in_every_language(language: str) -> None:
    assert set(raised()) - ON_THE_COMMAND_LINE <= shapes(language).keys()
    assert shapes(language).keys() == shapes("de").keys()
    for one in shapes(language):
        filled = one.format(*(f"<{number}>" for number in range(10)))
        assert translated(filled, language) == shapes(language)[one].format(*(f"<{n}>" for n in range(10)))


@pytest.mark.parametrize(
    "number",
    [
        *(errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EBUSY, errno.EROFS, errno.EIO, errno.ENODEV),
        *(errno.EMFILE, errno.ECONNREFUSED, errno.ECONNRESET, errno.ETIMEDOUT, errno.ENETUNREACH),
    ],
)
def test_the_systems_usual_reasons_are_told_in_words_of_our_own(number: int) -> None:
    reason = os.strerror(number)
    if sys.platform != "linux":
        pytest.skip("other systems say it otherwise")
    fault = f"copy cannot be written: {reason}"
    assert all(reason not in said for said in everywhere(fault).values())
    assert everywhere(f"x cannot be reached: [Errno {number}] {reason}")["de"].endswith(f"(Fehler {number})")
    assert everywhere(fault).keys() == set(OTHERS)


def test_what_fills_a_gap_is_told_in_the_same_language_and_what_is_unknown_stays() -> None:
    fault = "move 2, a1-h9, cannot be played: 'h9' is no cell of the 4x8 grid (a1 to d8)"
    said = "Potez 2, a1-h9, ne može se odigrati: 'h9' nije polje ploče 4x8 (a1 do d8)"
    assert translated(fault, "hr") == said
    assert translated("Club: a draw stands in a free", "fr") == "Club : la nulle compte (Jeu libre)"
    assert translated("no such thing: {0}", "ja") == "no such thing: {0}"
    assert everywhere("something else") == {}
    assert everywhere("log in first").keys() == set(OTHERS)
