# SPDX-License-Identifier: Apache-2.0
"""A small convolutional network in NumPy: forward, backward, and Adam."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

LAYERS: Final = ((6, 20, 1), (20, 32, 2), (32, 48, 2))
"""Channels in and out, and stride, of each 3 by 3 convolution with ReLU."""
_DECAY: Final = 1e-4
_BETAS: Final = (0.9, 0.999)


@dataclass
class Network:
    """Weights of the convolutions, then of the dense layer, each with its bias."""

    weights: list[Array]
    _means: list[Array] = field(default_factory=list)
    _squares: list[Array] = field(default_factory=list)
    _steps: int = 0

    def logits(self, images: Array) -> Array:
        """(n, classes) for (n, channels, edge, edge)."""
        return self._forward(images)[0]

    def learn(self, images: Array, labels: NDArray[np.int64], rate: float) -> float:
        """Take one step of Adam; returns the mean loss before it."""
        logits, kept = self._forward(images)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        rows = np.arange(len(labels))
        loss = float(-np.log(np.maximum(shares[rows, labels], 1e-9)).mean())
        shares[rows, labels] -= 1
        self._step(self._backward(shares / len(labels), kept), rate)
        return loss

    def _forward(self, images: Array) -> tuple[Array, list[tuple[Array, Array]]]:
        """The logits, and the columns and output of each layer."""
        kept: list[tuple[Array, Array]] = []
        value = images
        for number, (_, out, stride) in enumerate(LAYERS):
            columns = _columns(value, stride)
            edge = (value.shape[2] - 1) // stride + 1
            flat = columns @ self.weights[2 * number].reshape(out, -1).T + self.weights[2 * number + 1]
            value = np.maximum(flat, 0).reshape(len(images), edge, edge, out).transpose(0, 3, 1, 2)
            kept.append((columns, value))
        dense = value.reshape(len(images), -1)
        kept.append((dense, dense))
        return dense @ self.weights[-2].T + self.weights[-1], kept

    def _backward(self, slope: Array, kept: list[tuple[Array, Array]]) -> list[Array]:
        """The slope of the loss for each weight."""
        dense = kept[-1][0]
        slopes = [slope.sum(axis=0), slope.T @ dense]
        value: Array = (slope @ self.weights[-2]).reshape(kept[-2][1].shape)
        for number in range(len(LAYERS) - 1, -1, -1):
            into, out, stride = LAYERS[number]
            columns, output = kept[number]
            flat: Array = (value * (output > 0)).astype(np.float32).transpose(0, 2, 3, 1).reshape(-1, out)
            weights = self.weights[2 * number]
            slopes += [flat.sum(axis=0), (flat.T @ columns).reshape(weights.shape)]
            if number:
                edge = kept[number - 1][1].shape[2]
                value = _folded(flat @ weights.reshape(out, -1), (len(output), into, edge), stride)
        return slopes[::-1]

    def _step(self, slopes: list[Array], rate: float) -> None:
        if not self._means:
            self._means = [np.zeros_like(each) for each in self.weights]
            self._squares = [np.zeros_like(each) for each in self.weights]
        self._steps += 1
        one, two = _BETAS
        for weight, slope, mean, square in zip(self.weights, slopes, self._means, self._squares, strict=True):
            mean += (1 - one) * (slope - mean)
            square += (1 - two) * (slope * slope - square)
            scale = np.sqrt(square / (1 - two**self._steps)) + 1e-8
            weight -= rate * (mean / (1 - one**self._steps) / scale + _DECAY * weight)


def new_network(classes: int, edge: int, seed: int) -> Network:
    """A network with random weights for windows of *edge* samples."""
    chance = np.random.default_rng(seed)
    weights: list[Array] = []
    for into, out, stride in LAYERS:
        weights.append(chance.normal(0, np.sqrt(2 / (9 * into)), (out, into, 3, 3)).astype(np.float32))
        weights.append(np.zeros(out, np.float32))
        edge = (edge - 1) // stride + 1
    width = LAYERS[-1][1] * edge * edge
    weights.append(chance.normal(0, np.sqrt(1 / width), (classes, width)).astype(np.float32))
    weights.append(np.zeros(classes, np.float32))
    return Network(weights)


def _columns(images: Array, stride: int) -> Array:
    """The 3 by 3 neighbourhoods of *images* as rows, padded with zeros."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::stride, ::stride]
    count, channels, rows, cols = views.shape[:4]
    found: Array = views.transpose(0, 2, 3, 1, 4, 5).reshape(count * rows * cols, channels * 9)
    return found


def _folded(columns: Array, shape: tuple[int, int, int], stride: int) -> Array:
    """The sum of neighbourhoods at their places: the reverse of `_columns`."""
    count, channels, edge = shape
    rows = (edge - 1) // stride + 1
    parts = columns.reshape(count, rows, rows, channels, 3, 3).transpose(0, 3, 4, 5, 1, 2)
    whole = np.zeros((count, channels, edge + 2, edge + 2), np.float32)
    reach = (rows - 1) * stride + 1
    for row, col in np.ndindex(3, 3):
        whole[:, :, row : row + reach : stride, col : col + reach : stride] += parts[:, :, row, col]
    return whole[:, :, 1:-1, 1:-1]
