# SPDX-License-Identifier: Apache-2.0
"""The sentences of a game are printed, each with its kind."""

from __future__ import annotations

import sys

import pytest

from tests.bench import sentences


def test_as_many_sentences_are_printed_as_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--only", "close-quarters", "--number", "5", "--seed", "1", "--language", "de"]
    monkeypatch.setattr(sys, "argv", ["sentences", *asked])
    sentences.main()
    lines = capsys.readouterr().out.splitlines()
    said = [line for line in lines if line.startswith("  ")]
    assert len(said) == 5
    assert [line.partition(":")[0] for line in said[:3]] == ["  hint 1", "  hint 2", "  hint 3"]
    assert all("Tipp: " in line for line in said[:3])
