# SPDX-License-Identifier: Apache-2.0
"""The command line lists what there is and says what it did not understand."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from companion import __version__, games
from companion.cli.main import MOVED, PANELS, app, main
from companion.cli.program import Lazy, first_line
from companion.cli.tools import PANELS as TOOLS
from companion.opponent.levels import levels
from tests.cli.test_play import PLAY, waits_and_says
from tests.terminals import ScreenOf


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_is_printed(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 0
    assert f"companion {__version__}\n" == capsys.readouterr().out


def test_python_m_companion_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "companion", "--version"], capture_output=True, text=True, check=True
    )
    assert f"companion {__version__}\n" == done.stdout


def cpu_seconds(code: str) -> float:
    """Processor time of a Python that runs *code*."""
    with open(os.devnull, "w") as nowhere:
        started = subprocess.Popen([sys.executable, "-c", code], stdout=nowhere)
        _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0
    return used.ru_utime + used.ru_stime


@pytest.mark.skipif(sys.platform == "win32", reason="processor time of a child is another call there")
@pytest.mark.parametrize("word", ["--version", "--help"])
def test_version_and_help_take_little_more_than_importing_typer(word: str) -> None:
    ours = f"import sys; from companion.cli.main import main; sys.exit(main(['{word}']))"
    least = {"import typer": float("inf"), ours: float("inf")}
    for _ in range(25):  # other programs only ever add time, so the least of many runs is the true one
        for code in least:
            least[code] = min(least[code], cpu_seconds(code))
        if least[ours] <= 1.3 * least["import typer"]:
            return
    pytest.fail(f"{least}")


@pytest.mark.parametrize(("words", "panels"), [([], PANELS), (["tools"], TOOLS)], ids=["companion", "tools"])
def test_help_imports_no_command_and_shows_the_help_that_the_command_has(
    words: list[str], panels: Mapping[str, Mapping[str, Lazy]]
) -> None:
    ours = {f"companion.cli.{name}" for name in ("main", "program", *words)}
    loads = (
        f"import sys; from companion.cli.main import main; main([*{words}, '--help']);"
        "sys.exit(', '.join(name for name in sys.modules if name.startswith(('rich', 'companion.cli.', 'companion.host'))"
        f" and name not in {ours}))"
    )
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    group: Any = typer.main.get_command(app)
    for word in words:
        group = group.commands[word]
    for commands in panels.values():
        for name, entry in commands.items():
            assert entry.help in " ".join(done.stdout.split()), name
            assert entry.help == first_line(group.commands[name]), name


@pytest.mark.parametrize("old", MOVED)
def test_a_former_name_is_answered_with_that_of_today(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([old, "--help"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"companion: `companion {old}` is now `companion {MOVED[old]}`\n")
    assert main([*MOVED[old].split(), "--help"]) == 0
    assert f"Usage: companion {MOVED[old]} " in capsys.readouterr().out


@pytest.mark.parametrize("words", [["games"], ["tools", "panels"], ["tools", "panels", "--json"]])
def test_a_list_imports_nothing_that_plays(words: list[str], tmp_path: Path) -> None:
    settings = tmp_path / "companion/settings.toml"
    settings.parent.mkdir()
    settings.write_text("[boards]\nsearch_bluetooth = false\n", encoding="utf-8")
    loads = f"import sys; from companion.cli.main import main; main({words}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", loads],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
    )
    assert done.stdout
    slow = {"asyncio", "bleak", "rich.console", "ssl", "companion.link.protocol_gen", "companion.model.game"}
    assert slow & {*done.stderr.split()} == set()


def test_no_garbage_is_looked_for_while_a_command_is_imported() -> None:
    count = "sum(each['collections'] for each in gc.get_stats())"
    runs = f"import gc; from companion.cli.main import main; before = {count}; main(['games']); print({count} - before)"
    done = subprocess.run([sys.executable, "-c", runs], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"


def test_all_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    assert "close-quarters" in capsys.readouterr().out


def test_a_games_options_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "close-quarters"]) == 0
    out = capsys.readouterr().out
    assert "mace_path" in out
    assert "straight-first, either" in out
    assert "3      perfect" in out


def test_the_levels_of_chess_are_listed_with_their_strength(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "chess"]) == 0
    out = capsys.readouterr().out
    for level in levels("chess"):
        said = f"about {50 * round(level.elo / 50)} Elo" if level.elo else "below 1350 Elo"
        assert re.search(rf"^{level.number} +{level.slug} +{said}$", out, re.MULTILINE)


def test_help_names_every_level_that_a_game_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert main(["help", "computer"]) == 0
    topic = capsys.readouterr().out
    for slug in games.slugs():
        for level in levels(slug):
            assert level.slug in out
            assert level.slug in topic


def test_the_games_are_read_by_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["slug"] for each in listed] == list(games.slugs())
    assert main(["games", "tank-chess", "--json"]) == 0
    tanks = json.loads(capsys.readouterr().out)
    assert tanks in listed
    assert tanks["questions"]["identity-facing"] == []
    named = [(level.slug, level.elo) for level in levels("tank-chess")]
    assert [(each["name"], each["elo"]) for each in tanks["levels"]] == named
    assert {"name": "map", "default": "basic-16"}.items() <= tanks["options"][0].items()


def test_the_findings_of_the_doctor_are_read_by_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert {"level": "good", "subject": "Python"}.items() <= found[0].items()
    assert (code == 0) == all(each["level"] != "fault" for each in found)


def test_a_list_is_a_table_on_a_terminal_and_plain_lines_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScreenOf("games", columns=100, rows=40, COLUMNS="100") as seen:
        assert seen.wait() == 0
        assert "│ close-quarters │" in seen.text
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["games"]) == 0
    rows = [re.split(" {2,}", line) for line in capsys.readouterr().out.splitlines()]
    assert ["close-quarters", *["plays by itself"] * 4] in rows


def test_an_unknown_game_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "ludo"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "companion: there is no game 'ludo'; there are " in captured.err


def test_help_lists_every_command_on_a_panel_with_examples_to_each() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group)
    listed = group.list_commands(context)
    assert [name for names in PANELS.values() for name in names] == listed
    for name in listed:
        command = group.get_command(context, name)
        assert command is not None
        assert "companion" in (command.epilog or ""), name
    assert len(listed) <= 14
    assert not set(listed) & set(MOVED)


@pytest.mark.parametrize("words", [[], ["play"], ["hall", "admit"], ["records"], ["records", "replay"]])
def test_help_shows_no_values_for_flags_and_no_required_password(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--help"]) == 0
    said = capsys.readouterr().out
    assert "--help" in said
    assert "<bool>" not in said
    assert not [
        line for line in said.splitlines() if "--password" in line and ("*" in line or "required" in line)
    ]


def shown_options(*words: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The options in a help, except for `--help`."""
    assert main([*words]) == 0
    rows = re.findall(r"^  (?:-\w, )?(--[\w-]+)", capsys.readouterr().out, re.MULTILINE)
    return [name for name in rows if name != "--help"]


def test_no_help_shows_more_than_twenty_options(capsys: pytest.CaptureFixture[str]) -> None:
    left: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    seen = list[tuple[str, ...]]()
    while left:
        words, command = left.pop()
        seen.append(words)
        assert len(shown_options(*words, "--help", capsys=capsys)) <= 20, words
        left += [((*words, name), each) for name, each in getattr(command, "commands", {}).items()]
    assert {("play",), ("hall",), ("hall", "table"), ("tools", "print", "tags")} < {*seen}


def test_help_with_all_shows_every_option_of_play(capsys: pytest.CaptureFixture[str]) -> None:
    group: Any = typer.main.get_command(app)
    every = shown_options("play", "--help", "--all", capsys=capsys)
    assert sorted(every) == sorted(
        max((word for word in each.opts if word.startswith("--")), key=len)
        for each in group.commands["play"].params
        if each.param_type_name == "option"
    )
    assert shown_options("play", "--all", "-h", capsys=capsys) == every
    usual = shown_options("play", "--help", capsys=capsys)
    assert [name for name in every if name in usual] == usual
    assert main(["play", "--help"]) == 0
    said = f"{len(every) - len(usual)} more options: companion play --help --all\n"
    assert said in capsys.readouterr().out
    assert main(["play", "chess", "--all"]) == 2
    assert "No such option: --all" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["nonsense"], ["--nonsense"], ["games", "--nonsense"]])
def test_words_that_are_not_understood_end_with_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert "nonsense" in capsys.readouterr().err


def test_without_arguments_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "companion start" in capsys.readouterr().err


def test_without_arguments_a_terminal_gets_the_start_page(tmp_path: Path) -> None:
    settings = tmp_path / "companion" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text('[page]\naddress = "127.0.0.1"\nport = 0\nbrowser = false\n')
    folder = str(tmp_path)
    with ScreenOf(columns=100, rows=10, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder) as seen:
        seen.until(lambda: b"The start page is at http://127.0.0.1:" in seen.sent)
        seen.program.send_signal(signal.SIGINT)
        assert seen.wait() == 0


def test_the_rules_of_a_game_are_printed_in_the_requested_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rules", "close-quarters", "--language", "de"]) == 0
    out = capsys.readouterr().out
    assert "Der eine hat eine einzige Figur, das Schwert." in out
    assert "Wie weit das Schwert zieht" in out
    assert "no: nein" in out


def test_the_rules_are_taught_for_the_chosen_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "close-quarters", "-o", "sword=king", "--option", "turn_limit=20"]) == 0
    out = capsys.readouterr().out
    assert " 1  SW ·  ·  ma" in out
    assert "SW Sword" in out
    assert "Sword: one cell in any of the eight directions, like a king in chess." in out
    assert "It also ends with turn 20 of the Sword: then the Sword has won." in out
    assert "Not legal: a1-a3. The Sword moves one cell: not from a1 to a3." in out
    assert "one or two cells in a straight line" not in out
    assert max(map(len, out.splitlines())) > 100  # paragraphs are not wrapped in a pipe


@pytest.mark.long
def test_the_rules_are_wrapped_on_a_terminal() -> None:
    with ScreenOf("rules", "gottaz", columns=60, rows=200, COLUMNS="60") as seen:
        assert seen.wait() == 0
        assert "Row 3 is the centre row." in " ".join(seen.text.split())
        assert "In the hand of First side and Second side: 2 × Supply 1/Leap" in " ".join(seen.text.split())


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["play", "ches"], "chess"),
        (["rules", "gotaz"], "gottaz"),
        (["games", "tank-ches"], "tank-chess"),
        (["help", "clock"], "clocks"),
        (["help", "foo"], ""),
        (["tools", "print", "tags", "fightopa"], "fightopia"),
        (["tools", "moves", "close-quarters", "--option", "sword=kng"], "king"),
        (["tools", "moves", "close-quarters", "--option", "mace_pat=either"], "mace_path"),
        (["tools", "moves", "gottaz", "--option", "pawns=startr"], "starter"),
        (["tools", "moves", "tank-chess", "-o", "map=basic16"], "basic-16"),
        (["rules", "chess", "--language", "enn"], "en"),
        (["demoo"], "tools demo"),
        (["tools", "demoo"], "demo"),
        (["gams"], "games"),
        (["chess"], "play chess"),
        (["gotaz"], "play gottaz"),
        (["records", "list", "--game", "ches"], "chess"),
        (["records", "stats", "--game", "ches"], "chess"),
        (["records", "lis"], "list"),
        (["play", "chess", "--lamps", "ful"], "full"),
        (["records", "export", "3", "--as", "pfd"], "pdf"),
        (["hall", "print", "pairngs", "club"], "pairings"),
    ],
)
def test_an_unknown_argument_ends_with_2_and_a_suggestion(
    words: list[str],
    meant: str,
    capsys: pytest.CaptureFixture[str],
    own_folder: Path,
) -> None:
    assert main(words) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert (f"Did you mean '{meant}'?" in said) if meant else ("Did you mean" not in said)


def test_a_missing_game_is_answered_with_the_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play"]) == 2
    assert "Name one of chess, close-quarters, " in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--help"], ["play", "--help"], ["records", "--help"], ["play", "--nonsense"]]
)
def test_help_and_errors_have_no_boxes_and_no_codes_in_a_pipe(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(words)
    captured = capsys.readouterr()
    assert not {"│", "╭", "\x1b", "…\n"} & set(captured.out + captured.err)


def test_perft_ends_with_the_total_alone_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "perft", "close-quarters", "2", "--option", "sword=king"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "38"
    assert sum(int(line.split(": ")[1]) for line in lines[:-1]) == 38


def test_moves_of_a_position_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "moves", "close-quarters", "--position", "4/4/4/4/4/4/P1S1/4 w 0"]) == 0
    assert "a2xc2#" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["tools", "moves", "close-quarters", "--position", "nonsense"], 2, "'nonsense' is not a position"),
        (
            ["tools", "moves", "close-quarters", "--option", "sword"],
            2,
            "'sword' is not an option: write NAME=VALUE",
        ),
        (["tools", "moves", "close-quarters", "--option", "sword=queen"], 2, "allowed are one-or-two, king"),
        (["tools", "perft", "close-quarters", "0"], 2, "0 is not in the range x>=1"),
        (["rules", "close-quarters", "--language", "xx"], 2, "there are no words in 'xx'"),
    ],
)
def test_failed_lookups_are_named(
    words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    assert says in " ".join(capsys.readouterr().err.split())


def test_the_panels_are_read_by_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "panels", "--json", "/dev/ttyNONE"]) == 1
    (panel,) = json.loads(capsys.readouterr().out)
    assert panel["port"] == "/dev/ttyNONE"
    assert "there is no port /dev/ttyNONE" in panel["fault"]


def test_panels_reports_the_fault_of_each_port(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "panels", "/dev/ttyNONE"]) == 1
    assert "there is no port /dev/ttyNONE" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["doctor", "--port"], 2, "--port"),
        (["doctor", "--port", "/dev/ttyNONE"], 1, "there is no port /dev/ttyNONE"),
    ],
)
def test_the_doctor_refuses_a_missing_port(
    words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    assert says in " ".join(capsys.readouterr().err.split())


def test_settings_are_shown_and_arguments_override_them(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own_folder))
    monkeypatch.setenv("COLUMNS", "300")
    assert main(["settings", "path"]) == 0
    path = Path(capsys.readouterr().out.strip())
    path.parent.mkdir()
    path.write_text(
        'language = "de"\nport = "/dev/ttyNONE"\nstore = "nonsense"\n[page]\naddress = "127.0.0.1"\n'
    )
    assert main(["settings", "show"]) == 0
    assert 'language = "de"\nport = "/dev/ttyNONE"' in capsys.readouterr().out
    assert main(["rules", "close-quarters"]) == 0
    assert "Das Schwert" in capsys.readouterr().out
    assert main(["rules", "close-quarters", "--language", "en"]) == 0
    assert "Das Schwert" not in capsys.readouterr().out
    assert waits_and_says(["play", "close-quarters", "--no-browser", "--http-port=0"], "/dev/ttyNONE")
    assert waits_and_says([*PLAY, "--port", "/dev/ttyOTHER"], "/dev/ttyOTHER")
    assert main(["records", "list"]) == 1
    assert "'nonsense'" in capsys.readouterr().err
    path.write_text('langage = "de"')
    assert main(["settings", "show"]) == 1
    assert "settings.toml, line 1: unknown key 'langage'" in " ".join(capsys.readouterr().err.split())
