# SPDX-License-Identifier: Apache-2.0
"""Detection of printed tags in whole images: slow and thorough, for set-up. Pure.

Several images of a table at rest give one result: each tag has its median place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np

from companion.model.tags import Family
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.corner_search import detect, detector
from companion.sensing.vision.geometry import Floats

Finder: TypeAlias = cv2.aruco.ArucoDetector


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """A tag and its black corners in the image."""

    tag: int
    outline_px: Floats
    """(4, 2) px, clockwise as read, from its upper left."""


@dataclass(frozen=True, slots=True)
class Look:
    """The tags in some images of a table at rest."""

    tags: tuple[Tagged, ...] = ()
    """Each tag once, by rising id."""
    doubles: tuple[int, ...] = ()
    """Ids that occur twice in one image; they are left out of `tags`."""

    def of(self, tag: int) -> Tagged | None:
        """The place of *tag*; None if it is not visible."""
        return next((each for each in self.tags if each.tag == tag), None)


def finder(family: Family) -> Finder:
    """The detector of all tags of *family*; creating it takes some milliseconds."""
    return detector(family, range(len(family.bits)))


def tags_in(images: Sequence[Grey], find: Finder) -> Look:
    """The tags that at least half of *images* show."""
    outlines: defaultdict[int, list[Floats]] = defaultdict(list)
    doubles = set[int]()
    for image in images:
        seen = detect(find, image)
        doubles |= {tag for tag, times in Counter(tag for tag, _ in seen).items() if times > 1}
        for tag, outline in seen:
            outlines[tag].append(outline)
    found = [
        Tagged(tag, np.asarray(np.median(np.stack(each), axis=0), np.float64))
        for tag, each in sorted(outlines.items())
        if tag not in doubles and 2 * len(each) >= len(images)
    ]
    return Look(tuple(found), tuple(sorted(doubles)))


def middle_image(images: Sequence[Grey]) -> Grey:
    """The pixel-wise median of *images*, grey or BGR, which averages noise."""
    if len(images) == 1:
        return images[0]
    return np.asarray(np.median(np.stack(images), axis=0), np.uint8)
