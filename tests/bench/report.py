# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: their words, progress on standard error, one JSON object on standard output."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Sequence
from typing import Any


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with the words every benchmark knows."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--quick", action="store_true", help="fewer samples, the same keys, under 30 s")
    parser.add_argument("--seed", type=int, default=1, help="what the samples are drawn from")
    return parser


def say(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def percentiles(samples: Sequence[float]) -> dict[str, float | None]:
    """The median and the 99th percentile of *samples*, rounded to three significant places behind the point."""
    if not samples:
        return {"p50": None, "p99": None}
    ordered = sorted(samples)
    at = {
        name: min(len(ordered) - 1, int(len(ordered) * share))
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
    return {name: round(ordered[index], 4) for name, index in at.items()}


def deliver(results: dict[str, Any], seed: int, *, as_json: bool) -> None:
    """Print *results* with what is needed to judge them."""
    told = {
        "machine": f"{platform.system()} {platform.machine()}, {platform.processor() or 'unnamed processor'}",
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seed": seed,
        **results,
    }
    print(json.dumps(told, indent=None if as_json else 2))
