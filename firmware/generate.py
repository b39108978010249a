# SPDX-License-Identifier: Apache-2.0
"""Write what is generated from data: both ends of the board link from `protocol.toml`.

Run `python firmware/generate.py` after editing the data; `--check` only compares and exits 1 on a difference.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the generator is found when this file is run as a script

from firmware.generator.c_header import c_header  # noqa: E402
from firmware.generator.python_module import python_module  # noqa: E402
from firmware.generator.schema import read_schema  # noqa: E402

SOURCE = ROOT / "firmware" / "protocol.toml"
HEADER = ROOT / "firmware" / "core" / "protocol_gen.h"
MODULE = ROOT / "companion" / "link" / "protocol_gen.py"


def outputs() -> dict[Path, str]:
    """Return every generated file with the text it must have."""
    schema = read_schema(SOURCE.read_text(encoding="utf-8"))
    return {HEADER: c_header(schema), MODULE: python_module(schema)}


def main(arguments: list[str] | None = None) -> int:
    """Write or compare the generated files; return 0, or 1 when --check found a difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is out of date")
    options = parser.parse_args(arguments)
    stale = 0
    for path, text in outputs().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if options.check:
            print(f"{path.relative_to(ROOT)} is out of date: run `python firmware/generate.py`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
