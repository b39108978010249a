# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the page's state, made from its types: `python -m tests.page.state_schema`.

Tests of Python and of the page's scripts read the same file.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict

from companion.feedback.page_types import SentState

FILE: Final = Path(__file__).with_name("state.schema.json")
_NAMES: Final[dict[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    types.NoneType: "null",
}


def schema() -> dict[str, Any]:
    """The schema of what browsers get."""
    defined: dict[str, Any] = {}
    root = _of(SentState, defined)
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, **root, "$defs": dict(sorted(defined.items()))}


def written() -> str:
    """The content of the file: a line for each field."""
    made = schema()
    defined = ",\n".join(
        f"  {json.dumps(name)}: {{\n   "
        + ",\n   ".join(f"{json.dumps(key)}: {value}" for key, value in _lines(each))
        + "\n  }"
        for name, each in made.pop("$defs").items()
    )
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in made.items())
    return f'{{\n{head} "$defs": {{\n{defined}\n }}\n}}\n'


def _lines(definition: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys of *definition*, each with its text."""
    for key, value in definition.items():
        if key == "properties":
            fields = ",\n".join(f"    {json.dumps(name)}: {json.dumps(each)}" for name, each in value.items())
            yield key, f"{{\n{fields}\n   }}"
        else:
            yield key, json.dumps(value)


def _of(kind: Any, defined: dict[str, Any]) -> dict[str, Any]:
    """The schema of the type *kind*; types with names go into *defined*."""
    arguments = get_args(kind)
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if is_typeddict(kind):
        if kind.__name__ not in defined:
            defined[kind.__name__] = {}
            fields = {name: _of(each, defined) for name, each in get_type_hints(kind).items()}
            defined[kind.__name__] = {
                "type": "object",
                "properties": fields,
                "required": list(fields),
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if get_origin(kind) in (Union, types.UnionType):
        return {"anyOf": [_of(each, defined) for each in arguments]}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1], defined)}
    assert get_origin(kind) is Sequence, kind
    return {"type": "array", "items": _of(arguments[0], defined)}


def faults(value: Any, name: str = "SentState") -> list[str]:
    """Where *value* is not what the file's schema says of *name*."""
    defined = json.loads(FILE.read_text(encoding="utf-8"))["$defs"]
    return list(_faults(value, {"$ref": f"#/$defs/{name}"}, name, defined))


def _faults(value: Any, expected: dict[str, Any], at: str, defined: dict[str, Any]) -> Iterator[str]:
    """The faults of *value*, which is *at* a place."""
    if "$ref" in expected:
        expected = defined[expected["$ref"].rpartition("/")[2]]
    if "anyOf" in expected:
        found = [list(_faults(value, each, at, defined)) for each in expected["anyOf"]]
        yield from () if [] in found else min(found, key=lambda each: (value is None, -len(each)))
        return
    own = _NAMES.get(type(value), "object" if isinstance(value, dict) else "array")
    if own != expected["type"] and not (own == "integer" and expected["type"] == "number"):
        yield f"{at} is {own}, not {expected['type']}"
    elif own == "array":
        for number, each in enumerate(value):
            yield from _faults(each, expected["items"], f"{at}[{number}]", defined)
    elif own == "object":
        known = expected.get("properties", {})
        yield from (f"{at}.{name} is missing" for name in expected.get("required", ()) if name not in value)
        for name, each in value.items():
            if name in known or expected["additionalProperties"]:
                other = known.get(name, expected["additionalProperties"])
                yield from _faults(each, other, f"{at}.{name}", defined)
            else:
                yield f"{at}.{name} is unknown"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
