# SPDX-License-Identifier: Apache-2.0
"""The workshop's words: sentences with gaps, all in `words.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from companion.model.toml import build, parse


@dataclass(frozen=True, slots=True)
class Words:
    """All of them, by what they are for and by key."""

    advice: Mapping[str, str]
    rows: Mapping[str, str]
    page: Mapping[str, str]


@cache
def words() -> Words:
    """The words as they stand in the file."""
    text = resources.files("calibration").joinpath("words.toml").read_text(encoding="utf-8")
    return build(Words, parse(text, "words.toml"), "words.toml")
