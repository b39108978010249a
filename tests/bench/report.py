# SPDX-License-Identifier: Apache-2.0
"""Shared by all benchmarks: arguments, progress on standard error, a report in JSON."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import secrets
import sys
from collections.abc import Sequence
from typing import Any


def arguments(description: str, *examples: str, is_fresh: bool = False) -> argparse.ArgumentParser:
    """A parser with the options of every benchmark; *examples* are printed by `--help`.

    With *is_fresh* the default seed is another one in each run.
    """
    parser = argparse.ArgumentParser(
        description=description,
        epilog="\n  ".join(["examples:", *examples]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the report as one line of JSON")
    parser.add_argument("--quick", action="store_true", help="take fewer samples, in less than 30 s")
    usual = secrets.randbelow(1_000_000) if is_fresh else 1
    text = f"seed of the samples (default: {'a fresh one, printed' if is_fresh else usual})"
    parser.add_argument("--seed", type=int, default=usual, metavar="N", help=text)
    return parser


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


def percentiles(samples: Sequence[float]) -> dict[str, float | None]:
    """The median and the 99th percentile of *samples*, rounded to four decimal places."""
    if not samples:
        return {"p50": None, "p99": None}
    ordered = sorted(samples)
    at = {
        name: min(len(ordered) - 1, int(len(ordered) * share))
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
    return {name: round(ordered[index], 4) for name, index in at.items()}


def deliver(results: dict[str, Any], seed: int, *, as_json: bool) -> None:
    """Print *results* with the data needed to judge them."""
    report = {
        "machine": f"{platform.system()} {platform.machine()}, {platform.processor() or 'unnamed processor'}",
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seed": seed,
        **results,
    }
    print(json.dumps(report, indent=None if as_json else 2))
