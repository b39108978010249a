# SPDX-License-Identifier: Apache-2.0
"""What a page of a table knows, from the messages of its WebSocket."""

from __future__ import annotations

import json
from typing import Any


class PageReader:
    """A browser that assembles the state of a table."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def take(self, text: str | bytes) -> dict[str, Any]:
        """Take a message; return the whole state, or what a message of another kind says."""
        said: dict[str, Any] = {} if text == "pong" else json.loads(text)
        if not {"all", "changed"} & said.keys():
            return said
        known = said["all"] if "all" in said else {**self.state, **said["changed"]}
        for name, edit in said.get("patched", {}).items():
            known[name] = edited(known[name], edit)
        for name in said.get("gone", ()):
            del known[name]
        self.state = {**known, "now_ms": said["now_ms"]}
        return self.state


def edited(value: Any, edit: Any) -> Any:
    """The JSON *value* after *edit*, as `companion.host.pages.broadcast.edit` describes it."""
    match value, edit:
        case _, [new]:
            return new
        case list(), {"at": at, "cut": cut, "put": put}:
            made = list(value)
            made[at : at + cut] = put
            return made
        case dict(), dict():
            assert edit.keys() <= value.keys(), edit.keys() - value.keys()
            return {name: edited(old, edit[name]) if name in edit else old for name, old in value.items()}
    raise AssertionError(f"{edit} does not fit {value}")
