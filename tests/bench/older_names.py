# SPDX-License-Identifier: Apache-2.0
"""Let an adapter import what has moved since an older tree by its present name.

`tests.bench.against` runs this in each tree before the adapter. The referee's modules lay flat in
one folder until they got rooms; simulated eboards were called boards, and were part of the product
before that. It imports nothing of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

REFEREE: Final = "companion.referee"
ROOMS: Final = ("values.board", "values", "inference", "state", "acts", "session")
MOVED: Final = {"inference.costs": "tracker.costs"}
EBOARDS: Final = "tests.virtual.eboards"
OLDER_EBOARDS: Final = ("tests.virtual.boards", "companion.virtual.boards")


def older_name(name: str) -> str:
    """The name of the module *name* when the referee lay flat, or ""."""
    inside = name.removeprefix(f"{REFEREE}.")
    if inside == name or inside in ROOMS:
        return ""
    room = next((each for each in ROOMS if inside.startswith(f"{each}.")), "")
    flat = MOVED.get(inside, inside.removeprefix(f"{room}."))
    return f"{REFEREE}.{flat}" if room else ""


class OlderNames(MetaPathFinder, Loader):
    """Finds modules of rooms by their older names."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        """The spec of a moved module or of a room; None for all others."""
        if name == f"{REFEREE}.session":  # a module then, a room now
            spec = PathFinder.find_spec(name, path)
            if spec is not None:
                spec.submodule_search_locations = []
            return spec
        if older_name(name):
            return ModuleSpec(name, self)
        return ModuleSpec(name, self, is_package=True) if name.removeprefix(f"{REFEREE}.") in ROOMS else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The older module; None for a room."""
        older = older_name(spec.name)
        return import_module(older) if older else None

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the older module has run."""


class OlderEboards(MetaPathFinder, Loader):
    """Finds simulated eboards as an older tree names them; classes get present names."""

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        """The spec of a module of eboards or of their folder; None for all others."""
        is_folder = name == EBOARDS
        return ModuleSpec(name, self, is_package=is_folder) if f"{name}.".startswith(f"{EBOARDS}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The older module; None for the folder."""
        if spec.name == EBOARDS:
            return None
        folder = next(each for each in OLDER_EBOARDS if Path(*each.split(".")).is_dir())
        module = import_module(spec.name.replace(EBOARDS, folder))
        for name in [name for name in vars(module) if name.endswith("Board")]:
            setattr(module, f"{name.removesuffix('Board')}Eboard", getattr(module, name))
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the older module has run."""


if __name__ == "__main__":
    if not Path("companion", "referee", "values").is_dir():
        sys.meta_path.insert(0, OlderNames())
    if not Path("tests", "virtual", "eboards").is_dir():
        sys.meta_path.insert(0, OlderEboards())
