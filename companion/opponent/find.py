# SPDX-License-Identifier: Apache-2.0
"""The knowledge of each game: a module here of the game's name.

Its function `knowledge` makes it; a package has that in its module `knowledge`. Both are imported
when they are asked for. A game without such a module is searched without values.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from companion import opponent
from companion.model.game import AnyRules
from companion.opponent.knowledge import Knowledge


def knowledge_of(rules: AnyRules, weights: Mapping[str, int] | None = None) -> Knowledge[Any, Any]:
    """The knowledge of the game of *rules*; *weights* replace those of the same names."""
    name = f"{opponent.__name__}.{rules.slug.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name != name:
            raise
        return Knowledge(rules, weights)
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{name}.knowledge")
    found: Knowledge[Any, Any] = module.knowledge(rules, weights)
    return found
