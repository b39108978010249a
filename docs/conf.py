# SPDX-License-Identifier: Apache-2.0
"""Sphinx settings: `python3 check.py docs` makes a site of the documents, without copies.

The site's contents are the links of `docs/index.md`,
so that this page reads well as a plain file, too.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion import __version__  # noqa: E402  (the site shows the version of this source)
from companion.host.text.guide import text_of  # noqa: E402

project = "Companion"
release = __version__
copyright = "the Companion contributors, Apache-2.0"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "firmware/*.md",
    "firmware/sim/*.md",
    "companion/host/text/help/*.md",
]
highlight_language = "text"
myst_heading_anchors = 3
myst_enable_extensions = ["html_image"]

html_theme = "furo"
html_title = f"Companion {release}"
html_copy_source = False
html_show_sourcelink = False

HELP = "companion/host/text/help/"
FIRST_PAGE = (
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html">\n'
)


def complete(_app: Sphinx, name: str, source: list[str]) -> None:
    """Complete a plain document: add the tables of a help topic or the site's contents."""
    if name.startswith(HELP):
        source[0] = text_of(name.removeprefix(HELP))
    elif name == root_doc:
        source[0] = contents(source[0])


def contents(index: str) -> str:
    """*index* with a hidden table of contents after each section, made of the section's links."""
    first, *sections = re.split(r"^## ", index, flags=re.MULTILINE)
    return "".join([first, *(f"## {section.rstrip()}\n\n{toctree(section)}\n" for section in sections)])


def toctree(section: str) -> str:
    """A hidden table of contents with the heading and the links of *section*."""
    heading = section.splitlines()[0]
    links = re.findall(r"^- \[([^\]]+)\]\(([^)]+)\.md\)", section, flags=re.MULTILINE)
    entries = "\n".join(f"{title} </{_from_root(target)}>" for title, target in links)
    return f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{entries}\n```\n"


def _from_root(target: str) -> PurePosixPath:
    """*target*, as `docs/index.md` links it, as a path from the root of the source."""
    return PurePosixPath((ROOT / "docs" / target).resolve().relative_to(ROOT).as_posix())


def lead_to_contents(app: Sphinx, failure: Exception | None) -> None:
    """Let the folder of the site open its contents."""
    if failure is None:
        (Path(app.outdir) / "index.html").write_text(FIRST_PAGE, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the functions above, and show diagrams as text.

    Drawing them would load scripts from other sites.
    """
    app.add_lexer("mermaid", TextLexer)
    app.connect("source-read", complete)
    app.connect("build-finished", lead_to_contents)
