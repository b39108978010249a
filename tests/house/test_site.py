# SPDX-License-Identifier: Apache-2.0
"""The documents build as a site, without warnings, that loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import check
from companion.host.text.guide import topics

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc="([^"]+)"|<link\b(?![^>]*\brel="(?:canonical|search|index|next|prev)")[^>]*\bhref="([^"]+)"|url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)"""
)
"""What a browser fetches by itself: scripts, pictures, style sheets and fonts."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    built = subprocess.run(
        check.site(Path(sys.executable), folder), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return folder


def loaded(text: str) -> set[str]:
    return {address for found in LOADED.findall(text) for address in found if address}


def test_every_document_and_every_topic_is_a_page(site: Path) -> None:
    assert (site / "index.html").is_file()
    for document in sorted((ROOT / "docs").glob("*.md")):
        assert (site / "docs" / f"{document.stem}.html").is_file()
    for topic in topics():
        assert (site / "companion/host/text/help" / f"{topic}.html").is_file()


def test_values_of_the_program_are_filled_in(site: Path) -> None:
    page = (site / "companion/host/text/help/lamps.html").read_text(encoding="utf-8")
    assert "the last move came here" in page
    assert "{lamps}" not in page


def test_the_contents_lead_to_every_page(site: Path) -> None:
    start = (site / "docs" / "index.html").read_text(encoding="utf-8")
    menu = set(re.findall(r'class="toctree-l1[^"]*"><a[^>]* href="([^"#]+)', start))
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    made_by_sphinx = {"index.html", "genindex.html", "search.html", "docs/index.html"}
    listed = {(site / "docs" / target).resolve().relative_to(site.resolve()).as_posix() for target in menu}
    assert listed == pages - made_by_sphinx


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    files = [path for kind in ("html", "css") for path in site.rglob(f"*.{kind}")]
    addresses = {address for path in files for address in loaded(path.read_text(encoding="utf-8"))}
    assert any(address.endswith(".css") or ".css?" in address for address in addresses)
    assert not {address for address in addresses if re.match(r"(?:https?:)?//", address)}


def test_loaded_resources_are_found() -> None:
    page = (
        '<script src="https://a/x.js"></script><link rel="stylesheet" href="//b/y.css"><style>@import "c.css"; '
        'p { src: url(https://d/z.woff) }</style><a href="https://e/">E</a>'
    )
    assert loaded(page) == {"https://a/x.js", "//b/y.css", "c.css", "https://d/z.woff"}
