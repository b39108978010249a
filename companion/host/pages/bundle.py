# SPDX-License-Identifier: Apache-2.0
"""Puts the scripts of a page into one, and its style sheets into another.

Its rule: what it does not understand it refuses, with file and line. Each module becomes a block
of its own, in the order in which a browser would run them; what it exports is put into `modules$`,
where later blocks find it. So the names of modules do not collide, and `await` stays possible.
Modules import and export with these statements only, each at the beginning of a line:

    import { a, b as c } from "./other.js";     also over several lines
    import name from "./other.js";
    export function …                            also async function, class, and const with one name
    export default {
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath
from typing import Final

_STATEMENT: Final = re.compile(
    r"""\n(?:import\ (?:(?P<whole>\w+)|\{(?P<names>[\w,\s]+)\})\ from\ "(?P<target>\.[^"\n]+)";(?=\n)
    |export\ (?:(?=(?:(?:async\ )?function\*?|class|const)\ (?P<export>\w+))|default\ (?=\{))
    |(?P<refused>(?:import|export)\b.*))""",
    re.VERBOSE,
)
"""Begins with a literal, the end of the line before: three times as fast."""
_LATER: Final = re.compile(r"import(?:\(|\.meta)")
_REFUSED_STYLES: Final = re.compile(r"@(?:import|charset|namespace|layer)\b")
_RELATIVE: Final = re.compile(r"\burl\(")
_UNNEEDED: Final = re.compile(
    r"""^(?:[ \t]+(?://[^\n]*)?|//[^\n]*)
    |(?<=[;,{}()\[\]])[ ]//[ ](?!\S+\.js\n)[^"'`\n]*$
    |/\*[ ](?!\S+\.css[ ]\*/).*?\*/""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
"""Indentation and comments, but for paths; one with quotes may be a text."""
_EMPTY_LINES: Final = re.compile(r"\n{2,}")
_DEFAULT: Final = "default"


class BundleError(ValueError):
    """A file of the page has what the bundle cannot keep."""

    def __init__(self, path: str, text: str, at: int, fault: str) -> None:
        line = text.count("\n", 0, at) + 1
        super().__init__(f"{path}:{line}: {fault}")


def bundled_script(entry: str, texts: Mapping[str, str]) -> str:
    """Return *entry* with all that it imports; *texts* has the modules by path.

    Raises `BundleError`.
    """
    modules = _Modules(texts)
    modules.add(entry)
    return _short("const modules$ = {};\n" + "".join(modules.blocks))


def bundled_styles(texts: Mapping[str, str]) -> str:
    """Return the style sheets *texts*, by path, in one for the folder of the first.

    Raises `BundleError`, also for a `url()` of another folder, which would change its meaning.
    """
    folder, joined = dirname(next(iter(texts))), []
    for path, text in texts.items():
        if found := _REFUSED_STYLES.search(text):
            raise BundleError(path, text, found.start(), f"{found[0]} is lost among other style sheets")
        if dirname(path) != folder and (found := _RELATIVE.search(text)):
            raise BundleError(path, text, found.start(), f"url() only in the style sheets of {folder}/")
        joined.append(f"/* {path} */\n{text}")
    return _short("".join(joined))


def _short(text: str) -> str:
    """Return *text* without indentation, comments and empty lines.

    No text of a script goes over several lines.
    """
    return _EMPTY_LINES.sub("\n", _UNNEEDED.sub("", text))


class _Modules:
    """The modules of a bundle, in the order in which they run."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.blocks: list[str] = []
        self._texts = texts
        self._exports: dict[str, dict[str, str]] = {}
        """What the modules of `blocks` export, by the names for others."""
        self._begun: list[str] = []
        """Modules whose imports are being added, each imported by the one before."""

    def add(self, path: str) -> None:
        """Add the module of *path* after those that it imports. Raises `BundleError`."""
        text, exports = f"\n{self._texts[path]}\n", dict[str, str]()

        def replaced(found: re.Match[str]) -> str:
            if found["refused"]:
                fault = f"the bundle has no {found['refused']!r}: see {__name__}"
                raise BundleError(path, text, found.start(), fault)
            if found["target"]:
                return self._import(path, text, found)
            name = found["export"] or _DEFAULT
            exports[name] = found["export"] or f"{_DEFAULT}$"
            return "\n" if found["export"] else f"\nconst {exports[name]} = "

        if later := _LATER.search(text):
            raise BundleError(
                path, text, text.rindex("\n", 0, later.start()), f"the bundle has no {later[0]!r}"
            )
        self._begun.append(path)
        code = _STATEMENT.sub(replaced, text)
        listed = ", ".join(f"{name}: {own}" for name, own in exports.items())
        self.blocks.append(f'{{ // {path}\n{code}\nmodules$["{path}"] = {{ {listed} }};\n}}\n')
        self._exports[path] = exports
        self._begun.pop()

    def _import(self, path: str, text: str, found: re.Match[str]) -> str:
        """Return what is in place of the import *found* in the module of *path*."""
        target = normpath(join(dirname(path), found["target"]))
        if target in self._begun:
            circle = " → ".join((*self._begun[self._begun.index(target) :], target))
            raise BundleError(path, text, found.start(), f"modules import one another: {circle}")
        if target not in self._texts:
            raise BundleError(path, text, found.start(), f"there is no {target}")
        if target not in self._exports:
            self.add(target)
        names = found["names"] or f"{_DEFAULT} as {found['whole']}"
        pairs = [(each.split()[0], each.split()[-1]) for each in names.split(",") if each.strip()]
        for name, _ in pairs:
            if name not in self._exports[target]:
                raise BundleError(path, text, found.start(), f"{target} does not export {name}")
        return f'\nconst {{ {", ".join(f"{name}: {own}" for name, own in pairs)} }} = modules$["{target}"];'
