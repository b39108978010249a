# SPDX-License-Identifier: Apache-2.0
"""Train the classifier of cells without tags: `python -m calibration.train FILE.onnx`.

All cells are rendered. The same seed and number of samples give the same file on one machine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.train.network import Network, new_network
from calibration.train.onnx_file import onnx_file
from calibration.train.scenes import CellRenderer
from companion.sensing.cell_classes import CELL_CLASSES
from companion.sensing.vision.cell_classifier import normalised
from companion.sensing.vision.ground import ACROSS

_BATCH: Final = 128
_RATES: Final = (2e-3, 2e-3, 2e-3, 1e-3, 1e-3, 5e-4, 2e-4)
"""Step width in each pass over the samples."""
_TESTED: Final = 1000


def trained(seed: int, count: int) -> tuple[Network, float]:
    """A network trained on *count* rendered cells, and its share of right classes on others."""
    windows, labels = _samples(seed, count)
    others, truth = _samples(seed + 1, _TESTED)
    chance, network = np.random.default_rng(seed), new_network(len(CELL_CLASSES), ACROSS, seed)
    for number, rate in enumerate(_RATES):
        order, losses = chance.permutation(len(labels)), []
        for start in range(0, len(order) - _BATCH + 1, _BATCH):
            taken = order[start : start + _BATCH]
            turned = np.rot90(windows[taken], int(chance.integers(4)), axes=(2, 3))
            flipped = turned[..., ::-1] if chance.random() < 0.5 else turned
            losses.append(network.learn(np.ascontiguousarray(flipped), labels[taken], rate))
        say(f"pass {number + 1}: loss {np.mean(losses):.4f}")
    return network, float((network.logits(others).argmax(axis=1) == truth).mean())


def _samples(seed: int, count: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Rendered cells as the network takes them, each in units of some white nearby."""
    windows, labels = CellRenderer(seed).samples(count)
    chance = np.random.default_rng(seed)
    brightest = np.percentile(windows[:, 3:], 95, axis=(1, 2, 3))
    white = np.maximum(brightest * chance.uniform(1.0, 1.6, count), 20.0)
    return normalised(windows, white[:, None, None, None].astype(np.float32)), labels


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Train, write the file and print how well it does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--samples", type=int, default=24_000, metavar="N", help="rendered cells (default: 24000)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the cells (default: 1)")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    network, share = trained(given.seed, given.samples)
    data = onnx_file(network.weights, 6, ACROSS)
    given.file.write_bytes(data)
    say(f"{given.file}: {len(data)} bytes, {100 * share:.1f} % of {_TESTED} other cells right")


if __name__ == "__main__":
    main()
