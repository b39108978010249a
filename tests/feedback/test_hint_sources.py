# SPDX-License-Identifier: Apache-2.0
"""What is said of moves comes from verified claims, announcements, and steps."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from companion.feedback import hints, moves
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words
from companion.host.coach import coach
from companion.host.watch import review_report
from companion.model.advice import Advice
from companion.model.claims import WrittenClaim
from companion.model.written_move import WrittenMove, WrittenStep
from companion.referee.values.view import TableView

SOURCES = {Advice, WrittenClaim, WrittenMove, WrittenStep, TableView, Words}


def public(module: ModuleType) -> list[Callable[..., Any]]:
    """The functions of *module* that others may call."""
    found = inspect.getmembers(module, inspect.isfunction)
    return [each for name, each in found if each.__module__ == module.__name__ and name[0] != "_"]


def parts(hint: Any) -> set[Any]:
    """The classes of which a value of type *hint* consists."""
    inner = [each for each in typing.get_args(hint) if each not in (Ellipsis, type(None))]
    return set().union(*map(parts, inner)) if inner else {hint}


@pytest.mark.parametrize("module", [hints, moves])
def test_sentences_are_made_of_claims_announcements_and_steps_only(module: ModuleType) -> None:
    assert public(module)
    for each in public(module):
        taken = typing.get_type_hints(each)
        del taken["return"]
        assert set().union(*map(parts, taken.values())) - {bool} <= SOURCES, each.__name__


def test_no_free_text_is_among_what_is_said() -> None:
    texts = {
        (kind.__name__, field.name)
        for kind in SOURCES - {TableView, Words}
        for field in dataclasses.fields(kind)
        if str in parts(typing.get_type_hints(kind)[field.name])
    }
    assert texts == {
        ("Advice", "position"),
        ("WrittenClaim", "ending"),  # the slug of a termination
        ("WrittenClaim", "places"),  # names of cells
        ("WrittenMove", "text"),  # of the rules
        ("WrittenStep", "source"),
        ("WrittenStep", "target"),
    }


def literals(module: ModuleType) -> set[str]:
    """The texts in *module* with a letter, but for those that document it."""
    tree = ast.parse(inspect.getsource(module))
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
        if any(map(str.isalpha, node.value))
    }


@pytest.mark.parametrize("module", [hints, moves])
def test_every_sentence_is_a_template_of_the_word_files(module: ModuleType) -> None:
    common = read_common("en")
    gaps = {"piece", "other", "source", "target", "cell", "face"}
    assert literals(module) - {"lost-", "falls-", "goes-", "-"} <= {*common.hints, *common.moves, *gaps}


def templates(module: ModuleType) -> set[str]:
    """The keys of templates that *module* looks up."""
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    looked_up = (node for node in nodes if isinstance(node, ast.Subscript))
    return {
        str(node.slice.value)
        for node in looked_up
        if isinstance(node.slice, ast.Constant) and ast.unparse(node.value).endswith(("said", ".hints"))
    }


def test_who_shows_advice_composes_no_sentence_of_a_move() -> None:
    assert templates(coach) == set()
    assert {each for each in templates(review_report) if not each.startswith("value")} == {
        "curve",
        "no-mistakes",
        "play-on",
    }
    assert {"careful", "better-one"} <= templates(hints)
