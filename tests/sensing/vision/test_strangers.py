# SPDX-License-Identifier: Apache-2.0
"""Tags of other families are never read as pieces; our own are read."""

from __future__ import annotations

import numpy as np
import pytest

from companion.model.tags import family
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.tag_detection import find_tag
from tests.sensing.vision.strangers import FAMILIES, accepted, seen
from tests.sensing.vision.tables import all_codes

CODES = all_codes(range(4, 120))
FEW, MANY = 40, 1700
"""Tags of each family, in quick and long runs: 10 200 in all."""


def own(tag: int) -> Grey:
    """A tag of ours, a px for each module, with its rim."""
    return np.pad(np.where(np.array(family().rows(tag)), 255, 0), 1, constant_values=255).astype(np.uint8)


@pytest.mark.parametrize("px", [2.0, 3.0])
def test_our_own_tags_are_read(px: float) -> None:
    chance, tags = np.random.default_rng(3), list(range(4, 120, 3))
    found = [find_tag(CODES, seen(own(tag), CODES, px, chance), 14.0) for tag in tags]
    assert [None if each is None else each.tag for each in found] == tags


@pytest.mark.parametrize("name", FAMILIES)
def test_tags_of_other_families_are_not_read(name: str, *, is_long: bool) -> None:
    assert accepted(name, CODES, MANY if is_long else FEW, seed=8) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_tags_of_other_families_are_not_read_in_a_thorough_search(name: str) -> None:
    assert accepted(name, CODES, 100, seed=9, is_thorough=True) == 0
