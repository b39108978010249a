# SPDX-License-Identifier: Apache-2.0
"""One game, one file: each public module or package here offers a `GAME`.

Names that begin with `_` are not games.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from companion.model.errors import UnknownName

if TYPE_CHECKING:
    from companion.model.game import Game


@cache
def slugs() -> tuple[str, ...]:
    """The slugs of all games, in alphabetical order."""
    modules = pkgutil.iter_modules(__path__)
    return tuple(
        sorted(module.name.replace("_", "-") for module in modules if not module.name.startswith("_"))
    )


def find(slug: str) -> Game:
    """The game called *slug*. Raises `UnknownName` listing the known ones."""
    if slug not in slugs():
        raise UnknownName("there is no game {name!r}; there are {known}", name=slug, known=slugs())
    game: Game = importlib.import_module(f"{__name__}.{slug.replace('-', '_')}").GAME
    return game


def kept_options(slug: str, options: Mapping[str, str]) -> dict[str, str]:
    """*options* of a kept game without the retired ones.

    All of them if the game is unknown here.
    """
    if slug not in slugs():
        return dict(options)
    retired = {option.name for option in find(slug).retired}
    return {name: value for name, value in options.items() if name not in retired}
