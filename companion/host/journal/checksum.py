# SPDX-License-Identifier: Apache-2.0
"""The lines of a journal, and the checks in them: each ends with the CRC-32 of the JSON of all lines so far, `,"crc":"0123abcd"}`.

That JSON is what the line would be without its check. Journals of format 1 have none.
Pure, and its rule: what was changed, lost, doubled or put elsewhere by anybody but the program is not believed, however
much sense it makes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from companion.model.errors import JournalError

NEWEST: Final = 2
"""The format that is written."""
CHECKED: Final = 2
"""From this format on lines have checks."""
_MARK: Final = b',"crc":"%08x"}'
_LENGTH: Final = len(_MARK % 0)


def sealed(texts: Iterable[str], check: int) -> tuple[bytes, int]:
    """The lines in which the JSON objects *texts* stand behind what has the *check*, and their own check."""
    lines = []
    for text in texts:
        body = text[:-1].encode()
        check = zlib.crc32(body, check)
        lines.append(body + _MARK % check + b"\n")
    return b"".join(lines), check


def whole_lines(path: Path, content: bytes) -> tuple[list[bytes], int | None]:
    """The JSON of each line of the journal that begins with *content*, and their check; what was cut off is left out.

    Raises `JournalError` naming the line that is not as it was written.
    """
    whole, _, rest = content.rpartition(b"\n")
    if not whole:
        raise JournalError(f"{path} is no journal: its first line is missing")
    lines = whole.split(b"\n")
    return (lines, None) if _format(path, lines[0]) < CHECKED else _unsealed(path, lines, rest)


def _format(path: Path, line: bytes) -> int:
    """That of the journal in *path*, which begins with *line*."""
    try:
        data = json.loads(line)
    except ValueError as fault:
        raise JournalError(f"{path}, line 1: {fault}") from fault
    written = data.get("format") if isinstance(data, dict) else None
    if not isinstance(written, int):
        raise JournalError(f"{path} is no journal: its first line does not say its format")
    if written > NEWEST:
        raise JournalError(f"{path} has format {written}, this program reads {NEWEST}: use a newer Companion")
    return written


def _unsealed(path: Path, lines: Sequence[bytes], rest: bytes) -> tuple[list[bytes], int]:
    """The JSON of the *lines* with which the journal in *path* begins, and their check; *rest* is what follows without an end.

    Raises `JournalError` naming the line that is not as it was written.
    """
    found, check = [], 0
    for number, line in enumerate(lines, start=1):
        body = line[:-_LENGTH]
        check = zlib.crc32(body, check)
        if line != body + _MARK % check:
            raise _changed(path, number)
        found.append(body + b"}")
    if rest[-1:] != b"\0" and rest[:-1].endswith(_MARK % zlib.crc32(rest[: -_LENGTH - 1], check)):
        raise _changed(path, len(lines) + 1)  # a power cut takes the end of a line, or makes zeros of it
    return found, check


def _changed(path: Path, number: int) -> JournalError:
    return JournalError(
        f"{path}, line {number} is not as it was written: the disk, or somebody, has changed it; "
        "what comes before it is whole"
    )
