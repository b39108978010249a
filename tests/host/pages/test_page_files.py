# SPDX-License-Identifier: Apache-2.0
"""Browsers get packed bundles, or the files that developers edit."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from companion.host.pages.page_files import PageFile, PageFiles, page_files

ROOT = Path(__file__).parents[3]
FOLDERS = ("companion/host/web/page", "companion/host/hall/page", "calibration/page")
WRITTEN = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).iterdir() if path.suffix in (".js", ".css")
)
SITES = (
    {"page": "companion.host.web"},
    {"hall": "companion.host.hall", "page": "companion.host.web"},
    {"page": "calibration", "shared": "companion.host.web"},
)


def named_by(document: str, kind: str) -> list[str]:
    """The paths of *kind* that the text *document* names."""
    return re.findall(rf'"([a-z]+/[\w-]+\.{kind})"', document)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_a_line_is_served_without_its_indentation_or_as_an_empty_one_if_it_is_a_comment(path: Path) -> None:
    package = ".".join(path.parent.parent.relative_to(ROOT).parts)
    found = PageFiles({"page": package}).find(f"page/{path.name}")
    assert found is not None
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        source = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), source, flags=re.DOTALL)
    lines = [line.lstrip() for line in source.split("\n")]
    assert found.content.decode().split("\n") == ["" if line.startswith("//") else line for line in lines]


@pytest.mark.parametrize(
    "path", [each for each in WRITTEN if each.suffix == ".js"], ids=lambda path: path.name
)
def test_no_text_or_comment_of_a_script_goes_over_several_lines(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert line.count("`") % 2 == 0, line
        assert "/*" not in line, line


@pytest.mark.parametrize("site", SITES, ids=lambda site: next(iter(site.values())))
def test_each_document_names_one_script_and_one_style_sheet(site: dict[str, str]) -> None:
    files = PageFiles(site)
    assert files.documents()
    for path in files.documents():
        document = files.document(path)
        bundled, sources = document.bundled.content.decode(), document.sources.content.decode()
        assert len(named_by(bundled, "css")) == 1
        *first, script = named_by(bundled, "js")
        assert [each for each in first if "/theme-" not in each] == []
        found = files.find(script)
        assert found is not None
        assert modules_of(found)[-1] == named_by(sources, "js")[-1]
        assert len(modules_of(found)) == len({*modules_of(found)})


def test_every_script_is_in_a_bundle() -> None:
    used = set[str]()
    for site in SITES:
        files = PageFiles(site)
        for path in files.documents():
            document = files.document(path)
            found = files.find(named_by(document.bundled.content.decode(), "js")[-1])
            assert found is not None
            for each in (*modules_of(found), *named_by(document.sources.content.decode(), "js")):
                folder, _, name = each.partition("/")
                used.add(f"{site[folder].replace('.', '/')}/page/{name}")
    scripts = {path.relative_to(ROOT).as_posix() for path in WRITTEN if path.suffix == ".js"}
    assert scripts - used == {"companion/host/web/page/worker.js"}


def modules_of(bundle: PageFile) -> list[str]:
    """The paths of the modules in *bundle*."""
    return re.findall(r"^\{ // (\S+)$", bundle.content.decode(), re.MULTILINE)


def test_a_bundle_is_found_by_its_name_after_a_restart_and_kept_by_browsers() -> None:
    files = page_files()
    script = named_by(files.document("page/index.html").bundled.content.decode(), "js")[-1]
    again = PageFiles({"page": "companion.host.web"}).find(script)
    assert again is not None
    assert again == files.find(script)
    assert files.find(script.replace("main-", "main-0")) is None
    assert asked(script).headers["cache-control"] == "max-age=31536000, immutable"
    assert "cache-control" not in asked("page/main.js").headers


def test_pictures_have_names_that_change_with_them() -> None:
    document = page_files().document("page/index.html")
    icon, manifest = named_by(document.bundled.content.decode(), "(?:svg|webmanifest)")[::-1]
    style = named_by(document.bundled.content.decode(), "css")[0]
    gear = re.findall(r'url\("(gear-[^"]+)"\)', str(asked(style).body))[0]
    for name in (icon, manifest, f"page/{gear}"):
        assert re.fullmatch(r"page/\w+-[0-9a-f]{16}\.\w+", name)
        again = PageFiles({"page": "companion.host.web"}).find(name)
        assert again is not None
        assert asked(name).headers["cache-control"] == "max-age=31536000, immutable"
        assert asked(name).body == again.content
    assert "page/icon.svg" in document.sources.content.decode()


def test_texts_are_packed_for_those_who_unpack_them_and_unchanged_ones_are_not_sent() -> None:
    packed, plain = asked("page/main.js", accept_encoding="gzip, deflate"), asked("page/main.js")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 2
    assert gzip.decompress(packed.body) == plain.body
    assert "content-encoding" not in plain.headers
    assert packed.headers["etag"] == plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    again = asked("page/main.js", if_none_match=plain.headers["etag"])
    assert (again.status_code, again.body) == (304, b"")
    assert "content-encoding" not in asked("page/icon-192.png", accept_encoding="gzip").headers


def asked(path: str, **headers: str) -> Response:
    """The answer to a request with *headers* for the file of *path*."""
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return page_files().answer(path, Request({"type": "http", "headers": sent}))
