# SPDX-License-Identifier: Apache-2.0
"""Counts of move sequences match the files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.games import find
from companion.games._shared.perft import perft, split
from companion.model.toml import build, parse

FOLDER = Path(__file__).parent / "perft"
LIMIT = 250_000
"""Larger counts are checked with `--long` only."""


@dataclass(frozen=True)
class Case:
    source: str
    counts: tuple[int, ...]
    options: dict[str, str] = field(default_factory=dict)
    position: str = ""


@dataclass(frozen=True)
class Cases:
    case: tuple[Case, ...]


def cases(slug: str) -> tuple[Case, ...]:
    path = FOLDER / f"{slug}.toml"
    return build(Cases, parse(path.read_text(encoding="utf-8"), path.name), path.name).case


@pytest.mark.parametrize(
    ("slug", "case"), [(path.stem, case) for path in FOLDER.glob("*.toml") for case in cases(path.stem)]
)
def test_counts_agree_with_those_on_file(slug: str, case: Case, is_long: bool) -> None:
    rules = find(slug).rules(case.options)
    position = rules.read_position(case.position) if case.position else rules.initial()
    for depth, expected in enumerate(case.counts, start=1):
        if is_long or expected <= LIMIT:
            assert perft(rules, position, depth) == expected, (
                f"depth {depth}: {[*split(rules, position, depth)]}"
            )
