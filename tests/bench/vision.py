# SPDX-License-Identifier: Apache-2.0
"""Measure the speed and the errors of the camera.

Rendered games of all kinds at 1920 by 1080, seen obliquely, with hands (also resting ones),
captures, shots, wrecks, other lamps and a camera that is kicked; see `campaign.py`, and
`plain_campaign.py` for pieces without tags. Times are CPU time of one thread on Tank Chess with 20
by 20 cells and 28 pieces, without decoding the image. The full-frame detector runs on the same
board, with a dictionary of only the tags in play. Figures:

- quiet_ms, hand_ms, commit_ms: each image is drawn, packed and unpacked just before it is read, so
  the processor's caches are as cold as they can be at a table.
- quiet_warm_ms: the same with images made before.
- wrong_bound_95: the share of wrong positions excluded with 95 % confidence if none was seen:
  three in all the moves.
- hard_images: positions, those at the start included, that were not reported within two seconds.

Ctrl-C ends the moves and reports what was measured until then.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cv2  # noqa: E402  (run as a script, from anywhere)
import numpy as np  # noqa: E402

from companion.model.grid import rectangle  # noqa: E402
from companion.model.tags import family  # noqa: E402
from companion.sensing.vision.corner_search import detect, detector  # noqa: E402
from companion.sensing.vision.tag_detection import REACH, SAMPLES, find_tag, patch_of  # noqa: E402
from tests.bench.campaign import Campaign  # noqa: E402
from tests.bench.plain_campaign import PlainCampaign  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.sensing.test_hard_images import CASES, optics_of, played  # noqa: E402
from tests.sensing.vision.tables import all_codes, corner_things, true_view  # noqa: E402
from tests.virtual.optics import Optics  # noqa: E402
from tests.virtual.render import Thing  # noqa: E402
from tests.virtual.scene import Scene  # noqa: E402


def recall(
    px: float, blur: float, noise: float, tags: range, boards: int, seed: int
) -> tuple[int, int, int, int]:
    """The numbers of tags shown, read correctly, with a wrong facing, and mistaken.

    A mistaken tag is taken for another one that is in play.
    """
    grid, codes = rectangle(8, 8, cell_mm=25.0), all_codes(range(4, 60))
    optics = Optics(
        (960, 720), (100.0, 99.0, 700.0), (100.0, 100.0), focal_px=px / 1.75 * 692, blur_px=blur, noise=noise
    )
    view, chance = true_view(grid, optics), Random(seed)
    right = turned = accepted = 0
    for board in range(boards):
        scene, truth = Scene(grid, optics, corner_things(grid), seed + board), {}
        for number, cell in enumerate(chance.sample(range(64), 32)):
            tag, facing = chance.choice(tags), chance.randrange(8)
            x, y = grid.centre_mm(cell)
            at_mm = (x + chance.gauss(0, 1.2), y + chance.gauss(0, 1.2))
            scene.put(number, Thing(family().rows(tag), at_mm, 45 * facing + chance.gauss(0, 3), 14.0))
            truth[cell] = (tag, facing)
        image = scene.photograph()
        for cell, (tag, facing) in truth.items():
            patch = patch_of(image, view, grid.centre_mm(cell), 25 * REACH, 1.75 / SAMPLES, 8.0)
            found = find_tag(codes, patch, 14.0, is_thorough=True)
            if found is None:
                continue
            right += found.tag == tag
            turned += found.tag == tag and round(found.turn_deg / 45) % 8 != facing
            accepted += bool(codes.wanted[found.tag]) and found.tag != tag
    return boards * 32, right, turned, accepted


def hard_images(seeds: Sequence[int], moves: int) -> dict[str, dict[str, int]]:
    """Count the moves in bad images, and those that are reported late.

    The bad images: a fifth of the light, shake of 5 px, flicker of 10 %, noise of 8 grey levels.
    """
    found: dict[str, dict[str, int]] = {}
    for name, conditions in CASES.items():
        optics = optics_of(name)
        seen = [is_seen for seed in seeds for is_seen in played(optics, seed, moves, **conditions)]
        found[name] = {"positions": len(seen), "late": seen.count(False)}
        say(f"{name}: {found[name]}")
    return found


def cpu_ms(act: Callable[[], Any], times: int) -> float:
    """The median CPU time of *act* in ms."""
    taken = []
    for _ in range(times):
        began = time.thread_time()
        act()
        taken.append((time.thread_time() - began) * 1000)
    return sorted(taken)[times // 2]


def measure(moves: int, boards: int, seed: int) -> dict[str, Any]:
    """All figures."""
    campaign = Campaign(seed, say)
    campaign.begin_largest()
    tally = campaign.tally
    finder = detector(family(), [*campaign.table.outfit.corners, *campaign.table.outfit.marks])
    image = campaign.table.scene.photograph()
    full_ms = cpu_ms(lambda: detect(finder, image), 7)
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    decode_ms = cpu_ms(lambda: cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), 15)
    with contextlib.suppress(KeyboardInterrupt):
        while tally.moves < moves:
            campaign.move()
            if tally.moves % 50 == 0:
                say(f"{tally.moves} moves, {len(tally.wrong)} wrong, {len(tally.missed)} missed")
    plain = PlainCampaign(seed, say)
    while plain.tally.moves < max(4, moves // 10):
        plain.move()
    lights = {"good": (0.7, 4.0), "poor": (1.2, 8.0)}
    shares: dict[str, dict[str, float]] = {}
    shown = turned = 0
    for light, (blur, noise) in lights.items():
        shares[light] = {}
        for px in (1.5, 1.75, 2.0, 2.5, 3.0):
            count, right, wrong, _ = recall(px, blur, noise, range(4, 60), boards, seed)
            shares[light][str(px)] = round(right / count, 4)
            shown, turned = shown + count, turned + wrong
    strangers, *_, accepted = recall(3.0, 0.7, 4.0, range(60, len(family().bits)), boards, seed)
    warm = campaign.warm_times_ms()
    quiet, commit = percentiles(tally.quiet_ms), percentiles(tally.commit_ms)
    return {
        "quiet_ms": quiet,
        "quiet_warm_ms": percentiles(warm),
        "hand_ms": percentiles(tally.hand_ms),
        "commit_ms": commit,
        "decode_ms": round(decode_ms, 3),
        "full_frame_aruco_ms": round(full_ms, 2),
        "ratio_quiet": round(full_ms / quiet["p50"], 1) if quiet["p50"] else None,
        "ratio_commit": round(full_ms / commit["p50"], 1) if commit["p50"] else None,
        "recall": shares,
        "facing_errors": tally.facing_errors + turned,
        "tags_shown": shown,
        "unknown_accepts": accepted,
        "unknown_shown": strangers,
        "moves": tally.moves,
        "moves_by_game": tally.by_game,
        "camera_kicks": tally.kicks,
        "wrong_positions": len(tally.wrong),
        "wrong_bound_95": None if tally.wrong or not tally.moves else round(3 / tally.moves, 5),
        "missed_moves": len(tally.missed),
        "failures": [*tally.wrong, *tally.missed],
        "frames_to_accept": {
            "p50": int(np.median(tally.waited)) if tally.waited else None,
            "max": max(tally.waited, default=None),
        },
        "tagless_wrong": plain.tally.wrong,
        "tagless_moves": plain.tally.moves,
        "tagless_images": plain.tally.images,
        "tagless_missed": plain.tally.missed,
        "tagless_failures": plain.tally.failures,
        "hard_images": hard_images(range(3, 4 if boards == 1 else 15), 2 if boards == 1 else 4),
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/vision.py --quick",
        "python tests/bench/vision.py --moves 200 --json",
    )
    parser.add_argument(
        "--long", action="store_true", help="play 10 000 moves, which takes three hours of one core"
    )
    parser.add_argument(
        "--moves", type=int, default=0, metavar="N", help="number of moves (default: 1000, with --quick 8)"
    )
    return parser


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    cv2.setNumThreads(1)
    moves = given.moves or (8 if given.quick else 10_000 if given.long else 1000)
    deliver(measure(moves, 1 if given.quick else 12, given.seed), given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
