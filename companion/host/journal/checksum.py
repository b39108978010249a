# SPDX-License-Identifier: Apache-2.0
"""Lines of a journal and their checksums.

Each line ends with the CRC-32 of the JSON of all lines so far, `,"crc":"0123abcd"}`, where that
JSON is the line without its checksum. Journals of format 1 have none. Pure. Its rule: a line that
was changed, lost, duplicated or moved is rejected, even if it is valid JSON.
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
"""First format with checksums."""
_MARK: Final = b',"crc":"%08x"}'
_LENGTH: Final = len(_MARK % 0)


def checksummed(texts: Iterable[str], check: int) -> tuple[bytes, int]:
    """Return the JSON objects *texts* as lines with checksums, and the last checksum.

    *check* is the checksum of the lines before.
    """
    lines = []
    for text in texts:
        body = text[:-1].encode()
        check = zlib.crc32(body, check)
        lines.append(body + _MARK % check + b"\n")
    return b"".join(lines), check


def whole_lines(path: Path, content: bytes) -> tuple[list[bytes], int | None]:
    """Return the JSON of each complete line of *content*, and the last checksum.

    Raises `JournalError` with the number of the first damaged line.
    """
    whole, _, rest = content.rpartition(b"\n")
    if not whole:
        raise JournalError("{path} is not a journal: its first line is missing", path=path)
    lines = whole.split(b"\n")
    return (lines, None) if _format(path, lines[0]) < CHECKED else _verified(path, lines, rest)


def _format(path: Path, line: bytes) -> int:
    """Return the format of the journal in *path*, from its first *line*."""
    try:
        data = json.loads(line)
    except ValueError as fault:
        raise JournalError("{path}, line 1: {reason}", path=path, reason=fault) from fault
    written = data.get("format") if isinstance(data, dict) else None
    if not isinstance(written, int):
        raise JournalError("{path} is not a journal: its first line does not name its format", path=path)
    if written > NEWEST:
        raise JournalError(
            "{path} has format {written}, this program reads {newest}: use a newer Companion",
            path=path,
            written=written,
            newest=NEWEST,
        )
    return written


def _verified(path: Path, lines: Sequence[bytes], rest: bytes) -> tuple[list[bytes], int]:
    """Verify *lines* and return their JSON and the last checksum;

    *rest* is incomplete.

    Raises `JournalError` with the number of the first damaged line.
    """
    found, check = [], 0
    for number, line in enumerate(lines, start=1):
        body = line[:-_LENGTH]
        check = zlib.crc32(body, check)
        if line != body + _MARK % check:
            raise _changed(path, number)
        found.append(body + b"}")
    if rest[-1:] != b"\0" and rest[:-1].endswith(_MARK % zlib.crc32(rest[: -_LENGTH - 1], check)):
        raise _changed(path, len(lines) + 1)  # a power cut loses the end of a line, or turns it into zeros
    return found, check


def _changed(path: Path, number: int) -> JournalError:
    return JournalError(
        "{path}, line {line} is not as it was written: the disk, or somebody, has changed it; "
        "what comes before it is whole",
        path=path,
        line=number,
    )
