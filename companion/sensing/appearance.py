# SPDX-License-Identifier: Apache-2.0
"""How likely each class of a cell is, learned from this game's own pictures. Pure.

A class is *empty*, or a side's pieces; on a chequered board each is learned for both colours of
squares. Its features have a multivariate Student t distribution around the median, with a
covariance that is shrunk towards that of all classes: few examples suffice, and a strange cell is
no certain evidence of anything.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.sensing.vision.geometry import Floats

Labels = NDArray[np.intp]
"""(n,): the class of each cell; 0 is empty, and UNKNOWN no class."""

UNKNOWN: Final = -1
PICTURES: Final = 40
"""Latest pictures from which classes are learned, besides the first."""
_FREEDOM: Final = 4.0
"""Degrees of freedom of the t distribution."""
_SHRINK: Final = 25.0
"""Weight of the common covariance, in cells."""
_FLOOR: Final = 1.0
"""Least standard deviation of a feature, in units of lightness."""
_UNSURE: Final = 0.02
"""Share of a reading that is equal for all classes: a cell may show anything."""
_UNKNOWN_MIDDLE: Final = 3.0
"""By how much a class is wider than its examples, divided by their number."""
_STRANGE: Final = 8.0
"""Strangeness from which a cell rather shows something else."""
_FEWEST: Final = 3
"""Examples from which a class is learned on one colour of squares alone."""

_PARTS: Final = 8
"""Parts into which a picture's cells are divided, to judge each by the others."""


def tones_of(grid: Grid) -> Labels:
    """(n,): the colour of each chequered square, 0 or 1; 0 on other shapes."""
    cells = np.arange(len(grid))
    return (cells % grid.files + cells // grid.files) % 2 if grid.files else np.zeros(len(grid), np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The distributions of k classes on each of t tones of squares."""

    centres: Floats
    """(t, k, d)"""
    whiten: Floats
    """(t, k, d, d): the inverse of a Cholesky factor of the covariance."""
    volumes: Floats
    """(t, k): half the logarithm of its determinant."""
    volume: float
    """The same of the common covariance."""

    def costs(self, features: Floats, tones: Labels) -> tuple[Floats, Floats]:
        """The nats of each class by cell, (n, k), and odds of anything else, (n,).

        The likeliest class costs 0. Something else is a hand, a shadow, or glare: such a cell is
        evidence of nothing.
        """
        width, logs = features.shape[1], self.logs(features, tones)
        other = self._logs(np.full(len(logs), width * _STRANGE), width) - self.volume
        most = np.maximum(logs.max(axis=1), other)
        shares, rest = np.exp(logs - most[:, None]), np.exp(other - most)
        total = shares.sum(axis=1) + rest
        mixed = (shares + (rest / shares.shape[1])[:, None]) / total[:, None]
        nats = -np.log((1 - _UNSURE) * mixed + _UNSURE / shares.shape[1])
        return nats - nats.min(axis=1, keepdims=True), rest / total

    def logs(self, features: Floats, tones: Labels) -> Floats:
        """(n, k): the log likelihood of each class by cell, but for a constant."""
        width = features.shape[1]
        squared = width * self.strangeness(features, tones)
        found: Floats = self._logs(squared, width) - self.volumes[tones]
        return found

    @staticmethod
    def _logs(squared: Floats, width: int) -> Floats:
        """The logarithm of the density at *squared* distances, without its volume."""
        found: Floats = -0.5 * (_FREEDOM + width) * np.log1p(squared / _FREEDOM)
        return found

    def strangeness(self, features: Floats, tones: Labels) -> Floats:
        """(n, k): the squared distance of each cell from each class, in deviations per feature."""
        apart = features[:, None] - self.centres[tones]
        squared = (np.einsum("nkij,nkj->nki", self.whiten[tones], apart) ** 2).sum(axis=2)
        found: Floats = squared / features.shape[1]
        return found


def learned(features: Floats, labels: Labels, tones: Labels, count: int, pictures: int = 1) -> Classes:
    """The *count* classes of cells with these *features*, (m, d), from so many *pictures*.

    Some classes may have no example.
    """
    width, tone_count = features.shape[1], int(tones.max(initial=0)) + 1
    members = [[_members(labels, tones, each, tone) for each in range(count)] for tone in range(tone_count)]
    centres = np.zeros((tone_count, count, width))
    own = np.zeros((tone_count, count, width, width))
    sizes = np.zeros((tone_count, count))
    for tone, row in enumerate(members):
        for each, cells in enumerate(row):
            examples = features[cells] if len(cells) else features
            centres[tone, each] = np.median(examples, axis=0)
            apart = examples - centres[tone, each]
            own[tone, each] = apart.T @ apart
            sizes[tone, each] = len(cells)
            if not len(cells):
                own[tone, each] = 0
    common = own.sum(axis=(0, 1)) / max(sizes.sum() - tone_count * count, 1.0)
    common += np.diag(np.full(width, _FLOOR**2))
    own, sizes = own / pictures, sizes / pictures  # the same pieces again are no further examples
    mixed = (own + _SHRINK * common) / (sizes[..., None, None] + _SHRINK)
    mixed *= 1 + _UNKNOWN_MIDDLE / np.maximum(sizes[..., None, None], 1)
    mixed += np.diag(np.full(width, 0.25 * _FLOOR**2))
    factors = np.linalg.cholesky(mixed)
    volumes = np.log(np.diagonal(factors, axis1=2, axis2=3)).sum(axis=2)
    volume = float(np.linalg.slogdet(common)[1]) / 2
    return Classes(centres, np.linalg.inv(factors), volumes, volume)


def _members(labels: Labels, tones: Labels, each: int, tone: int) -> NDArray[np.intp]:
    """The examples of a class on squares of *tone*; on all if these are few."""
    same = np.flatnonzero((labels == each) & (tones == tone))
    return same if len(same) >= _FEWEST else np.flatnonzero(labels == each)


def left_out(features: Floats, labels: Labels, tones: Labels, count: int) -> tuple[Floats, Floats]:
    """(n, k) each: the log likelihoods and strangeness of cells by classes learned without them."""
    logs, strangeness = np.zeros((len(labels), count)), np.zeros((len(labels), count))
    parts = np.zeros(len(labels), np.intp)
    for each in np.unique(labels):
        for tone in np.unique(tones):
            same = np.flatnonzero((labels == each) & (tones == tone))
            parts[same] = np.arange(len(same)) % _PARTS
    for part in np.unique(parts):
        rest, out = parts != part, parts == part
        classes = learned(features[rest], labels[rest], tones[rest], count)
        logs[out] = classes.logs(features[out], tones[out])
        strangeness[out] = classes.strangeness(features[out], tones[out])
    return logs, strangeness


class Appearance:
    """The classes, as learned from the pictures of one game so far."""

    def __init__(self, tones: Labels, count: int) -> None:
        """*tones*: (n,), the colours of the squares; *count* classes."""
        self.tones, self.count = tones, count
        self._first: tuple[Floats, Labels] | None = None
        self._later: deque[tuple[Floats, Labels]] = deque(maxlen=PICTURES)
        self._classes: Classes | None = None

    def learn(self, features: Floats, labels: Labels) -> None:
        """Learn from one picture; cells whose label is UNKNOWN are left out."""
        if self._first is None:
            self._first = features, labels
        else:
            self._later.append((features, labels))
        self._classes = None

    @property
    def classes(self) -> Classes:
        """What was learned."""
        if self._classes is None:
            assert self._first is not None
            pictures = [self._first, *self._later]
            features = np.concatenate([each for each, _ in pictures])
            labels = np.concatenate([each for _, each in pictures])
            tones = np.tile(self.tones, len(pictures))
            known = labels != UNKNOWN
            self._classes = learned(features[known], labels[known], tones[known], self.count, len(pictures))
        return self._classes

    def costs(self, features: Floats) -> tuple[Floats, Floats]:
        """As `Classes.costs`."""
        return self.classes.costs(features, self.tones)
