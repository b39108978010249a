# SPDX-License-Identifier: Apache-2.0
"""Generator of the tag family: `python -m calibration.tagfamily > companion/model/tags.toml`.

Turning a tag by 90 degrees moves its 36 modules in nine rings of four.
A linear code that every such turn maps onto itself contains a tag with its three turns,
so the least weight of a word is the distance over all turns:
between any two tags, and of a tag from its own turns.
Two words and their turns span 256 words; adding one word that no turn changes doubles them.
The search tries words from a fixed sequence until no word but zero has fewer than 14 light modules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

SIZE: Final = 6
DISTANCE: Final = 14
TRIES: Final = 1_000_000

_MULTIPLIER: Final = 6364136223846793005
_INCREMENT: Final = 1442695040888963407
"""A linear congruential sequence modulo 2**64 of full period. Source: Knuth, MMIX."""


def turned(bits: int) -> int:
    """*bits* after a quarter turn clockwise."""
    return sum(1 << _bit(col, SIZE - 1 - row) for row, col in _PLACES if bits >> _bit(row, col) & 1)


def turns(bits: int) -> tuple[int, int, int, int]:
    """*bits* and its one, two and three quarter turns."""
    once = turned(bits)
    twice = turned(once)
    return bits, once, twice, turned(twice)


def generate() -> tuple[int, ...]:
    """The bits of every tag in rising order: the lowest of each four turns.

    Raises `ValueError` if none are found.
    """
    sequence = _nibbles()
    fixed = [_word([15 * (rings >> ring & 1) for ring in range(len(_RINGS))]) for rings in range(1, 512)]
    for _ in range(TRIES):
        first = _span(turns(_word([1, 0, *(next(sequence) for _ in range(7))])))
        if _least_weight(first) < DISTANCE:
            continue
        second = _span(turns(_word([0, 1, *(next(sequence) for _ in range(7))])))
        words = [one ^ other for one in first for other in second]
        if _least_weight(second) < DISTANCE or _least_weight(words) < DISTANCE:
            continue
        for added in fixed:
            if all((word ^ added).bit_count() >= DISTANCE for word in words):
                return _tags([*words, *(word ^ added for word in words)])
    raise ValueError(f"no family of distance {DISTANCE} in {TRIES} tries")


def to_toml(tags: Sequence[int]) -> str:
    """The text of the data file."""
    lines = "".join(
        f"    {', '.join(f'{tag:#011x}' for tag in tags[start : start + 6])},\n"
        for start in range(0, len(tags), 6)
    )
    return (
        "# Made by `python -m calibration.tagfamily`; what it means is said in tags.py.\n"
        f'slug = "companion-36h{DISTANCE}"\nsize = {SIZE}\ndistance = {DISTANCE}\nbits = [\n{lines}]\n'
    )


def _bit(row: int, col: int) -> int:
    """The bit number of a module: the upper left one is the highest."""
    return SIZE * SIZE - 1 - row * SIZE - col


_PLACES: Final = [(row, col) for row in range(SIZE) for col in range(SIZE)]
_RINGS: Final = [
    [1 << _bit(row, col), 1 << _bit(col, 5 - row), 1 << _bit(5 - row, 5 - col), 1 << _bit(5 - col, row)]
    for row in range(SIZE // 2)
    for col in range(SIZE // 2)
]
"""The nine groups of four modules that a quarter turn permutes."""


def _word(nibbles: Sequence[int]) -> int:
    """The word with these four bits on each ring."""
    return sum(
        place
        for nibble, ring in zip(nibbles, _RINGS, strict=True)
        for n, place in enumerate(ring)
        if nibble >> n & 1
    )


def _span(words: Sequence[int]) -> list[int]:
    """All sums of subsets of *words*, zero first."""
    return reduce(lambda sums, word: [*sums, *(known ^ word for known in sums)], words, [0])


def _least_weight(words: Sequence[int]) -> int:
    """The fewest light modules of any of *words* except the first, which is zero."""
    return min(word.bit_count() for word in words[1:])


def _nibbles() -> Iterator[int]:
    """Four bits at a time, in a fixed pseudo-random sequence."""
    value = 1
    while True:
        value = (value * _MULTIPLIER + _INCREMENT) % 2**64
        yield value >> 60


def _tags(words: Sequence[int]) -> tuple[int, ...]:
    """One word of each four turns; words equal to their half turn are left out."""
    return tuple(sorted({min(turns(word)) for word in words if len(set(turns(word))) == 4}))


if __name__ == "__main__":
    sys.stdout.write(to_toml(generate()))
