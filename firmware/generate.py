# SPDX-License-Identifier: Apache-2.0
"""Write the generated files: both ends of the board link, and panel headers.

Run `python firmware/generate.py` after editing `protocol.toml`;
`--check` compares only, and exits 1 on a difference.
`--panel NAME FILE` writes the C header of companion/panels/NAME.toml to FILE, and
`--boot-stage BINARY FILE` the assembly of the RP2040's boot stage, `--uf2 BINARY FILE` the file
for its drive, all for the Makefile.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # makes the generator importable when this file is run as a script

from firmware.generator.boot_stage import boot_stage  # noqa: E402
from firmware.generator.c_header import c_header  # noqa: E402
from firmware.generator.panel_header import panel_header, read_panel  # noqa: E402
from firmware.generator.python_module import python_module  # noqa: E402
from firmware.generator.schema import read_schema  # noqa: E402
from firmware.generator.uf2 import uf2  # noqa: E402

SOURCE = ROOT / "firmware" / "protocol.toml"
HEADER = ROOT / "firmware" / "core" / "protocol_gen.h"
MODULE = ROOT / "companion" / "link" / "protocol_gen.py"
PANELS = ROOT / "companion" / "panels"


def outputs() -> dict[Path, str]:
    """Return every generated file with its text."""
    schema = read_schema(SOURCE.read_text(encoding="utf-8"))
    return {HEADER: c_header(schema), MODULE: python_module(schema)}


def main(arguments: list[str] | None = None) -> int:
    """Write or compare the generated files; return 0, or 1 when --check found a difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is out of date")
    parser.add_argument("--panel", nargs=2, metavar=("NAME", "FILE"), help="write only the header of a panel")
    parser.add_argument(
        "--boot-stage", nargs=2, metavar=("BINARY", "FILE"), help="write only the boot stage of the RP2040"
    )
    parser.add_argument("--uf2", nargs=2, metavar=("BINARY", "FILE"), help="write only a UF2 file")
    options = parser.parse_args(arguments)
    if options.panel:
        name, target = options.panel
        _write(Path(target), panel_header(read_panel(PANELS / f"{name}.toml")))
        return 0
    if options.boot_stage:
        binary, target = options.boot_stage
        _write(Path(target), boot_stage(Path(binary).read_bytes()))
        return 0
    if options.uf2:
        binary, target = options.uf2
        Path(target).write_bytes(uf2(Path(binary).read_bytes()))
        return 0
    stale = {path: text for path, text in outputs().items() if _text(path) != text}
    for path, text in stale.items():
        if options.check:
            print(f"{path.relative_to(ROOT)} is out of date: run `python firmware/generate.py`")
        else:
            _write(path, text)
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if options.check and stale else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
