# SPDX-License-Identifier: Apache-2.0
"""What `companion tools explain-moves` prints: `python -m tests.cli.explained` rewrites `goldens/`.

Review the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from companion.cli.main import main
from tests.recordings import FOLDER

GOLDENS = Path(__file__).parent / "goldens"

CASES = {
    "retracted-and-announced": ("chess-casual-on-switches", "--at", "19"),
    "illegal": ("martian-chess-illegal-by-magnets", "--at", "9"),
    "asked": ("gottaz-questions-on-switches", "--language", "de"),
    "whole-game": ("close-quarters-whole-game", "--language", "fr"),
}


def printed(recording: str, *options: str) -> tuple[int, str]:
    """The exit code of the command, and what it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = main(["tools", "explain-moves", str(FOLDER / f"{recording}.jsonl"), *options])
    return code, output.getvalue()


if __name__ == "__main__":
    for name, case in CASES.items():
        (GOLDENS / f"{name}.txt").write_text(printed(*case)[1], encoding="utf-8")
        print(GOLDENS / f"{name}.txt")
