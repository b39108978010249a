# SPDX-License-Identifier: Apache-2.0
"""Documents and topics: commands are valid, links resolve, no text is duplicated."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from companion.host.text.guide import text_of, topics
from tests.house.commands import NotUnderstood, check, named_in

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "firmware", "firmware/sim", "companion/host/text/help")
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).glob("*.md")),
]
SENTENCE = 12
"""Words: a shorter sentence may be said twice."""


def text(name: str) -> str:
    return text_of(name) if name in topics() else (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*topics(), *DOCUMENTS])
def test_every_command_with_every_flag_that_is_named_exists(name: str) -> None:
    for command in named_in(text(name)):
        check(command)


@pytest.mark.parametrize(
    "command",
    [
        "companion ply chess",
        "companion play chess --clok 5",
        "companion play ludo",
        "companion play chess -o colour=red",
        "companion records export 3 --as docx",
        "companion help nonsense",
        "python -m calibration reads",
    ],
)
def test_references_to_missing_things_are_found(command: str) -> None:
    with pytest.raises(NotUnderstood, match=r"(?i)no such|there is no|is not one of"):
        check(command)


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    document = (
        "See `companion games`.\n\n```sh\ncompanion play chess   # a game\n```\n\n    companion tools demo\n"
    )
    assert named_in(document) == ["companion games", "companion play chess", "companion tools demo"]


def test_documents_name_commands_at_all() -> None:
    assert len(named_in(text("docs/play.md"))) > 10
    assert sum(len(named_in(text_of(topic))) for topic in topics()) > 40


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_to_a_file_and_a_heading(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text(name)):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        assert not heading or heading in headings(file), target


PICTURES = sorted(path for kind in ("png", "gif", "svg") for path in (ROOT / "docs").rglob(f"*.{kind}"))


def shown_in(name: str) -> set[Path]:
    """The files that the document *name* shows or links."""
    targets = re.findall(r"""\]\(([^)\s#]+)|<img\b[^>]*\bsrc="([^"]+)\"""", text(name))
    return {((ROOT / name).parent / (link or image)).resolve() for link, image in targets}


def test_every_picture_is_shown_and_every_shown_picture_exists() -> None:
    shown = {file for name in DOCUMENTS for file in shown_in(name)}
    assert len(PICTURES) > 10
    assert [path.name for path in PICTURES if path not in shown] == []
    assert [
        file.name for file in shown if file.suffix in (".png", ".gif", ".svg") and not file.is_file()
    ] == []


def headings(file: Path) -> set[str]:
    """The anchors of a Markdown file's headings, as Git hosts and the site make them."""
    lines = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


def sentences(document: str) -> set[str]:
    """The sentences of a *document*, with table rows and lines of code.

    Emphasis and links are removed.
    """
    plain = re.sub(r"[`*_]|!?\[|\]\([^)]*\)", "", document)
    paragraphs = re.split(r"^\s*(?:$|[-|#>]+\s|\d+\.\s|\s{4})", plain, flags=re.MULTILINE)
    parts = [part for paragraph in paragraphs for part in re.split(r"(?<=[.:;?!])\s+", paragraph)]
    return {" ".join(part.split()) for part in parts if len(part.split()) >= SENTENCE}


def test_every_sentence_has_one_home() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for name in DOCUMENTS:
        for sentence in sentences(text(name)):
            homes[sentence].append(name)
    assert len(homes) > 500
    assert not {sentence: names for sentence, names in homes.items() if len(names) > 1}


def test_a_repeated_sentence_is_found() -> None:
    said = "A table that was cut off from its hall for an hour catches up with it later."
    assert sentences(f"First.\n\n- {said}\n- Other") == sentences(f"Well. **{said}** More.") == {said}
