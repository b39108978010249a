# SPDX-License-Identifier: Apache-2.0
"""Decoding of tags: soft correlation of grey samples with all tags of the family.

The tags that are not in play are decoys: a strange tag is nearest to one of them and is rejected.
A tag is SIZE by SIZE modules of data inside a dark border of one module;
a light rim separates it from its surroundings.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Grey: TypeAlias = NDArray[np.uint8]
Singles: TypeAlias = NDArray[np.float32]

ACCEPT: Final = 0.65
"""Least correlation of the data.

The nearest wrong tag of 36 modules at distance 14 has at most 0.25 without noise;
at 1.5 px a module in good light right tags stay above 0.7.
"""
MARGIN: Final = 0.15
"""Least margin of the best tag's correlation over every other tag's.

Half the noise of this difference at the poorest readable light.
"""
CONTRAST: Final = 18.0
"""Least deviation of a tag's modules in grey levels, in usual light.

Skin, noise and the edge of a hand have half of it, and resemble anything.
"""
LEAST_CONTRAST: Final = 8.0
"""The same in a dark room: twice a cheap camera's noise."""
CONTRAST_SHARE: Final = 0.3
"""The same as a share of the deviation of tags in place."""
FRAMED: Final = 0.65
"""Least correlation of data and border together: a tag has a dark border."""
UNEVEN: Final = 0.4
"""Largest deviation of the border's modules, relative to the contrast of light and dark.

A tag's border is dark all round, which at 1.5 px a module makes 0.36 at most;
the edge of a hand is shaded, and makes more than 0.48.
"""

UNEXPLAINED: Final = 0.1
"""Largest share of a tag's variance that print, blur, shift and light leave unexplained.

Tags of the family leave 0.06 at 1.5 px a module; the likest of other families, 0.13.
"""
_NOISE: Final = 5.0
"""Standard deviation of noise that is not counted, in grey levels."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One decoded tag."""

    tag: int
    turns: int
    """Quarter turns anticlockwise from its top to the sampled image's, in that image."""
    variant: int
    """Index of the sample variant with the best correlation."""
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """A family of tags prepared for correlation."""

    modules: int
    """Modules across, with border."""
    framed: Singles
    """(4n, modules²) float32, zero mean and unit length: each tag in its four turns."""
    inner: Singles
    """(4n, size²) float32: the same for the data only."""
    wanted: NDArray[np.bool_]
    """(n,): the tags in play."""
    border: NDArray[np.bool_]
    """(modules²,): mask of the border's modules."""

    def template(self, tag: int) -> Singles:
        """(modules²,) float32: the upright tag, for `verified`."""
        found: Singles = self.framed[4 * tag]
        return found


def codes_of(words: Sequence[int], size: int, wanted: Collection[int]) -> Codes:
    """The family with the tags *words*, each of *size*² bits, 1 for light.

    The upper left module is the highest bit. *wanted* are the ids in play.
    """
    places = np.arange(size * size - 1, -1, -1, dtype=np.uint64)
    bits = (np.array(words, np.uint64)[:, None] >> places & np.uint64(1)).astype(np.float32)
    upright = bits.reshape(-1, size, size)
    turned = np.stack([np.rot90(upright, turns, axes=(1, 2)) for turns in range(4)], axis=1)
    data = turned.reshape(-1, size, size)
    framed = np.pad(data, ((0, 0), (1, 1), (1, 1)))
    is_wanted = np.zeros(len(words), np.bool_)
    is_wanted[list(wanted)] = True
    border = np.pad(np.zeros((size, size), np.bool_), 1, constant_values=True).ravel()
    return Codes(size + 2, _unit(framed), _unit(data), is_wanted, border)


def read(codes: Codes, samples: Singles, contrast: float = CONTRAST) -> Reading | None:
    """The tag in *samples*, in play or a decoy; None if none is clear.

    *samples*: (v, modules, modules) float32, grey levels at the centres of the modules
    for *v* guesses of its place. Less *contrast* is not a tag.
    """
    scores = _unit(samples[:, 1:-1, 1:-1]) @ codes.inner.T
    variant, best = divmod(int(scores.argmax()), scores.shape[1])
    score = float(scores[variant, best])
    shown = samples[variant].ravel() - samples[variant].mean()
    length = float(np.sqrt(shown @ shown))
    if score < ACCEPT or length < contrast * codes.modules:
        return None
    tag, turns = divmod(best, 4)
    others = scores[variant].copy()
    others[best] = -1
    if score - float(others.max()) < MARGIN:
        return None
    if float(shown @ codes.framed[best]) < FRAMED * length:
        return None
    light = codes.framed[best] > 0
    if float(shown[codes.border].std()) > UNEVEN * float(shown[light].mean() - shown[~light].mean()):
        return None
    if not _is_print_of(codes.framed[best], samples[variant]):
        return None
    return Reading(tag, turns, variant, score)


def _is_print_of(template: Singles, samples: Singles) -> bool:
    """True if *samples* show *template*: blurred, shifted and in uneven light, but nothing else.

    A tag of another family with a similar pattern has modules that none of these explain.
    """
    width = len(samples)
    rim = np.pad(template.reshape(width, width), 1, constant_values=float(template.max()))
    here, left, right = rim[1:-1, 1:-1], rim[1:-1, :-2], rim[1:-1, 2:]
    up, down = rim[:-2, 1:-1], rim[2:, 1:-1]
    diagonal = rim[:-2, :-2] + rim[2:, 2:] + rim[2:, :-2] + rim[:-2, 2:]
    y, x = np.mgrid[-1 : 1 : width * 1j, -1 : 1 : width * 1j]
    causes = [np.ones_like(x), x, y, here, here * x, here * y, left + right + up + down, diagonal]
    model = np.stack([*causes, right - left, down - up], axis=-1).reshape(width * width, -1)
    shown = samples.ravel().astype(np.float64)
    left_over = shown - model @ np.linalg.lstsq(model, shown, rcond=None)[0]
    return float(left_over.var()) <= UNEXPLAINED * float(shown.var()) + _NOISE**2


def usual_contrast(samples: NDArray[np.generic]) -> float:
    """The least contrast of a tag, from known ones with (m, modules²) *samples*."""
    if not len(samples):
        return CONTRAST
    deviation = float(np.median(samples.astype(np.float32).std(axis=1)))
    return min(CONTRAST, max(LEAST_CONTRAST, CONTRAST_SHARE * deviation))


def likeness(templates: Singles, samples: NDArray[np.generic]) -> tuple[Singles, Singles]:
    """Likeness of each tag to its template, and its mean brightness.

    (n, modules²) templates of zero mean and unit length, and samples;
    returns (n,) from -1 to 1, and (n,) grey levels.
    """
    grey = samples.astype(np.float32)
    count = grey.shape[1]
    level: Singles = grey.sum(axis=1) / np.float32(count)
    squared = np.einsum("ij,ij->i", grey, grey) - count * level * level
    alike: Singles = np.einsum("ij,ij->i", grey, templates) / np.sqrt(np.maximum(squared, 1.0))
    return alike, level


def _unit(pictures: NDArray[np.float32]) -> Singles:
    """*pictures* as rows of zero mean and unit length."""
    rows = pictures.reshape(len(pictures), -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    found: Singles = (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-3)).astype(np.float32)
    return found
