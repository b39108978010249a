# SPDX-License-Identifier: Apache-2.0
"""Electrical rule check of a circuit by SKiDL.

`python skidl_check.py < CIRCUIT.json` runs in an environment of its own, since SKiDL brings many
packages. The circuit is a list of parts: `{"ref": ..., "pins": [[NUMBER, TYPE, NET or null], ...]}`
with the types of SKiDL's pins. It prints what the check says, and `errors E, warnings W`.
"""

import json
import sys

from skidl import (  # type: ignore[import-not-found, unused-ignore]
    ERC,
    SKIDL,
    TEMPLATE,
    Net,
    Part,
    Pin,
    erc_logger,
)


def main() -> int:
    """Return 0; the last line tells the result."""
    nets = {}
    for given in json.load(sys.stdin):
        pins = [
            Pin(num=number, name=number, func=getattr(Pin.types, kind)) for number, kind, _ in given["pins"]
        ]
        shape = Part(name=given["ref"], tool=SKIDL, dest=TEMPLATE, ref_prefix="X", pins=pins)
        part = shape(ref=given["ref"])
        for number, _, net in given["pins"]:
            if net is None:
                continue
            if net not in nets:
                nets[net] = Net(net)
            nets[net] += part[number]
    ERC()
    print(f"errors {erc_logger.error.count}, warnings {erc_logger.warning.count}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
