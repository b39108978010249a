# SPDX-License-Identifier: Apache-2.0
"""Certabo and Tabutronic boards: a stream of numbers, and a lamp in each square.

Boards with radio tags report a number of five bytes for each piece. Which piece has which number is
learned when the pieces stand in the start of chess; others are known to occupy their squares only.
Boards of the kind Sentio report occupied squares.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence, Set
from typing import Final, TypeAlias

from companion.eboards.codec import (
    CHESS_SHAPE,
    FILES,
    Codec,
    Garbled,
    Report,
    Timing,
    Whole,
    chess_piece,
    from_rank_8,
)
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import EMPTY, OCCUPIED, Sighting

BAUD: Final = 38_400

_TAG: Final = 5
"""Bytes of a tag's number."""
_TAGS: Final = CHESS_SHAPE.cells * _TAG
_OCCUPANCY: Final = 8
_FRAMES: Final = 3
"""Frames among which a square's most frequent tag counts: some are read badly."""
_LONGEST: Final = 2000
"""More than the letters of a frame."""
_START: Final = "rnbqkbnr" + "p" * 8 + " " * 32 + "P" * 8 + "RNBQKBNR"

_Frame: TypeAlias = tuple[tuple[int, ...], ...]
"""The tag on each square, from a8 rank by rank.

Boards without tags report one number for each, 0 or 1.
"""


class CertaboCodec:
    """Reads the stream of one board and lights its lamps."""

    timing = Timing()

    def __init__(self, title: str) -> None:
        self.title = title
        self._buffer = bytearray()
        self._frames: deque[_Frame] = deque(maxlen=_FRAMES)
        self._known: dict[tuple[int, ...], Sighting] = {}
        """The piece of each tag that was learned."""

    def restart(self) -> None:
        """Forget the stream; what was learned stays."""
        self._buffer.clear()
        self._frames.clear()

    def greeting(self) -> bytes:
        """Nothing: the board sends its stream unasked."""
        return b""

    def request(self) -> bytes:
        """Nothing: the board sends its stream unasked."""
        return b""

    def lamps(self, lit: Set[Cell]) -> bytes:
        """A byte for each rank from the eighth, the first file in the lowest bit."""
        return bytes(
            sum(1 << file for file in range(FILES) if rank * FILES + file in lit) for rank in range(7, -1, -1)
        )

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: the board has no buzzer."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        self._buffer += bytes(byte & 0x7F for byte in data)  # some adapters set the highest bit
        reports: list[Report] = []
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer = bytearray(rest[-_LONGEST:])
        for line in lines:
            report = self._read(line)
            if report is not None:
                reports.append(report)
        return reports

    def _read(self, line: bytes) -> Report | None:
        """The report of one line; None while too few frames are known."""
        frame = _frame_of(line)
        if frame is None:
            return Garbled()
        self._frames.append(frame)
        if len(self._frames) < _FRAMES:
            return None
        steady = tuple(_majority(tags) for tags in zip(*self._frames, strict=True))
        self._learn(steady)
        self._learn_queens(steady)
        return Whole(from_rank_8([self._piece(tag) for tag in steady]))

    def _learn(self, frame: _Frame) -> None:
        """Learn the pieces of the start, if *frame* shows it with all tags."""
        is_start = all((letter != " ") == any(tag) for letter, tag in zip(_START, frame, strict=True))
        tags = [tag for tag in frame if any(tag)]
        if is_start and len(set(tags)) == len(tags) and not all(tag in self._known for tag in tags):
            self._known = {
                tag: chess_piece(letter) for letter, tag in zip(_START, frame, strict=True) if any(tag)
            }

    def _learn_queens(self, frame: _Frame) -> None:
        """Take a new tag on a last rank for that of a queen.

        Boards are sold with spare queens; other pieces for a promotion come from the captured ones.
        """
        for letter, rank in (("Q", frame[:FILES]), ("q", frame[-FILES:])):
            for tag in rank:
                if any(tag) and self._known and tag not in self._known:
                    self._known[tag] = chess_piece(letter)

    def _piece(self, tag: tuple[int, ...]) -> Sighting:
        """The piece with the number *tag*."""
        return self._known.get(tag, OCCUPIED) if any(tag) else EMPTY


def _frame_of(line: bytes) -> _Frame | None:
    """The frame in *line*; None if it is damaged."""
    _, colon, text = line.rpartition(b":")
    words = text.split()
    if not colon or not all(word.isdigit() and int(word) < 256 for word in words):
        return None
    numbers = tuple(map(int, words))
    if len(numbers) == _TAGS:
        return tuple(numbers[at : at + _TAG] for at in range(0, _TAGS, _TAG))
    if len(numbers) == _OCCUPANCY:
        return tuple((row >> 7 - file & 1,) for row in numbers for file in range(FILES))
    return None


def is_partial(received: bytes) -> bool:
    """True if *received* is the beginning of a line without its end."""
    return b"\n" not in received and b"\x8a" not in received


def _majority(tags: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The most frequent of *tags*; the newest, if all differ."""
    tag, count = Counter(tags).most_common(1)[0]
    return tag if count > 1 else tags[-1]


def make_certabo() -> Codec:
    """A codec for a new connection to a board with radio tags."""
    return CertaboCodec("Certabo")


def make_sentio() -> Codec:
    """A codec for a new connection to a board that sees occupied squares."""
    return CertaboCodec("Tabutronic Sentio")
