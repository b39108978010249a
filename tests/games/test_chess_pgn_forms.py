# SPDX-License-Identifier: Apache-2.0
"""PGN in the forms of its producers, whole and damaged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest

from companion.games.chess import pgn, pgn_reader
from companion.model.errors import NotationError
from companion.model.reading import decoded
from tests.games.pgn_writers import FORMS, MOVES, Played
from tests.games.test_chess_pgn import written


def brought(text: str) -> list[pgn.Record]:
    """The games in *text*, all of which are brought without a note."""
    found = [each for _, each in pgn_reader.games(text)]
    for each in found:
        assert not isinstance(each, NotationError), each
        assert each.notes == ()
    return [each.value for each in found if not isinstance(each, NotationError)]


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2"])
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_game(form: str, result: str) -> None:
    how = FORMS[form]
    games = [
        Played(result=result),
        Played("Čedar, C." if how.encoding != "cp1252" else "Cedar, C.", "Dill, D."),
    ]
    content = "".join(map(how.write, games)).replace("\n", how.line_end).encode(how.encoding)
    for game, record in zip(games, brought(decoded(content).value), strict=True):
        tags = dict(record.tags)
        assert tuple(written(record)) == MOVES
        assert record.result == tags["Result"] == game.result
        assert [tags["White"], tags["Black"]] == [game.white, game.black]
        spent = record.times or (pgn.Spent(),) * len(MOVES)
        for ply, each in enumerate(spent):
            assert each.left_ms == (1000 * game.left_s(ply) if how.has_left else None)
            assert each.elapsed_ms == (1000 * game.used_s(ply) if how.has_used else None)


WITHOUT_ROOKS = "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kk - 0 1"
"""A position from which the same moves can be played."""


def some_games(form: str, chance: Random) -> list[str]:
    """The texts of four games in *form*; one of them begins from a position."""
    write = FORMS[form].write
    return [
        write(
            Played(
                f"Elm, {name}",
                result=chance.choice(["1-0", "0-1", "1/2-1/2"]),
                round=number,
                moves=MOVES[: chance.randrange(14, len(MOVES), 2)],
                start=WITHOUT_ROOKS if number == 2 else "",
            )
        )
        for number, name in enumerate(("Ida", "Jan", "Kim", "Leo"), 1)
    ]


def parts(game: str) -> tuple[str, str]:
    """The tags of *game*, and its moves."""
    tags, _, moves = game.partition("\n\n")
    return f"{tags}\n\n", moves


def places(game: str) -> list[int]:
    """Places in *game* between its moves: neither in tags nor in comments."""
    tags, moves = parts(game)
    blank = re.sub(r"\{[^}]*\}|;[^\n]*", lambda found: "x" * len(found[0]), moves.rstrip())
    return [len(tags) + each.start() for each in re.finditer(r"(?<=[^x\s])[ \n](?=[^x\s])", blank)]


def with_damaged_line(game: str, chance: Random) -> str:
    """*game* with a line less, more or cut.

    Not seen are tags and comments that are gone, and last moves before a result on a line of its
    own; so a line with a later move number is taken.
    """
    tags, moves = parts(game)
    lines = moves.splitlines()
    numbered = [row for row, line in enumerate(lines) if re.search(r"(?<![%:.\d])\b\d+(?:\.| [a-hN])", line)]
    if len(numbered) == 1 and len(" ".join(lines[numbered[0] + 1 :]).strip()) > 0:
        return without_result(game, chance)
    row = chance.randrange(numbered[-1] + 1 if len(numbered) == 1 else numbered[-1])
    cut = lines[row][: chance.randrange(len(lines[row]) + 1)]
    cut = re.sub(r"\{(?:\[%?\w{0,2})?$", "", cut)  # else a time is an unknown command
    lines[row : row + 1] = chance.choice([[], [lines[row]] * 2, [cut]])
    return tags + "\n".join([*lines, "", ""])


def with_damaged_tag(game: str, chance: Random) -> str:
    """*game* without a sign of a tag, or with letters that no program writes."""
    tags, moves = parts(game)
    if chance.randrange(4) == 0:
        place = chance.choice([each.end() for each in re.finditer(r'"(?=[^"\]])', tags)])
        return f"{tags[:place]}{chance.choice(chr(1) + chr(31))}{tags[place:]}{moves}"
    place = chance.choice([each.start() for each in re.finditer(r'[\[\]"]', tags)])
    return tags[:place] + tags[place + 1 :] + moves


def with_damaged_position(game: str, chance: Random) -> str:
    """*game* with a position that denotes nothing, if it has one."""
    if "FEN" not in game:
        return without_result(game, chance)
    fields = WITHOUT_ROOKS.split()
    place = chance.randrange(len(fields))
    if chance.randrange(3) == 0:
        return re.sub(r'\[FEN "[^"]*"\]\n', "", game)
    fields[place] = {0: fields[0].replace("8", chance.choice(["9", "44p", "x"]), 1)}.get(place, "q9")
    return game.replace(WITHOUT_ROOKS, " ".join(fields))


def without_result(game: str, chance: Random) -> str:
    """*game* without the result after its moves."""
    return re.sub(r"\s*\S+\s*$", chance.choice(["\n\n", "\n"]), game)


def without_bracket(game: str, chance: Random) -> str:
    """*game* without a brace or bracket, else without its result."""
    tags, moves = parts(game)
    signs = [each.start() for each in re.finditer(r"[{}()]", moves)]
    if not signs:
        return without_result(game, chance)
    place = chance.choice(signs)
    return tags + moves[:place] + moves[place + 1 :]


def with_other_text(game: str, chance: Random) -> str:
    """*game* with a move that cannot be played, or with what is no move.

    Not seen are signs that other programs write and that are skipped: `$4`, `;`, `!`, `+=`.
    """
    place = chance.choice(places(game)) + 1
    end = re.compile(r"\s|$").search(game, place)
    assert end is not None
    if chance.randrange(2):
        return f"{game[:place]}{chance.choice(['@~#', 'xyz 7', '<<<< HEAD', 'Qh9'])} {game[place:]}"
    if game[place].isdigit():
        return without_result(game, chance)
    return f"{game[:place]}{chance.choice(['Ka6', '--', 'Z0', 'Nf', 'x'])}{game[end.start() :]}"


def with_other_byte(game: str, chance: Random) -> str:
    """*game* with another sign between moves."""
    place = chance.choice(places(game)) + chance.randrange(2)
    return game[:place] + chance.choice('(){}[]"*~@') + game[place + 1 :]


def joined(game: str, chance: Random) -> str:
    """*game* without the end of its last line."""
    return game.rstrip() + chance.choice([" ", "\n"])


DAMAGES = {
    each.__name__: each
    for each in (
        with_damaged_line,
        with_damaged_tag,
        with_damaged_position,
        without_result,
        without_bracket,
        with_other_text,
        with_other_byte,
        joined,
    )
}


def check_damaged(
    texts: list[str],
    at: int,
    damaged: str,
    what: object,
    *,
    is_cut: bool = False,
    told: Sequence[int] = (),
) -> None:
    """All *texts* are brought but for what is named in the *damaged* one.

    A file that *is_cut* ends there. Lines that were *told* before are named, too.
    """
    whole = brought("".join(texts))
    before = "".join(texts[:at])
    text = before + damaged + ("" if is_cut else "".join(texts[at + 1 :]))
    first = before.count("\n") + 1
    lines = range(first, first + damaged.count("\n") + 1)
    records, named = list[pgn.Record](), list(told)
    for line, found in pgn_reader.games(text):
        if isinstance(found, NotationError):
            named.append(line)
        else:
            records.append(found.value)
            named += [note.line for note in found.notes]
    others = whole[:at] + ([] if is_cut else whole[at + 1 :])
    assert [each for each in records if each in others] == others, (what, damaged)
    assert set(named) <= set(lines), (what, named, lines, damaged)
    assert named or [each for each in records if each not in others] == [whole[at]], (what, damaged)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damage_costs_only_what_is_named(damage: str, *, is_long: bool) -> None:
    for seed in range(300 if is_long else 30):
        chance = Random(f"{damage} {seed}")
        form = chance.choice(sorted(FORMS))
        texts = some_games(form, chance)
        at = chance.randrange(len(texts))
        check_damaged(texts, at, DAMAGES[damage](texts[at], chance), (damage, seed, form))


def test_a_file_that_is_cut_off_costs_only_its_last_game(*, is_long: bool) -> None:
    for seed in range(300 if is_long else 30):
        chance = Random(f"cut {seed}")
        form = chance.choice(sorted(FORMS))
        texts = some_games(form, chance)
        at = chance.randrange(len(texts))
        damaged = texts[at][: chance.randrange(1, len(texts[at]))]
        check_damaged(texts, at, damaged, ("cut", seed, form), is_cut=True)


def test_a_byte_that_is_no_letter_costs_only_its_game(*, is_long: bool) -> None:
    for seed in range(300 if is_long else 30):
        chance = Random(f"byte {seed}")
        form = chance.choice(sorted(FORMS))
        texts = some_games(form, chance)
        at = chance.randrange(len(texts))
        content = texts[at].rstrip().encode()
        place = chance.randrange(len(content))
        damaged = (
            content[:place] + chance.choice([b"\xff", b"\x81", b"\xe4"]) + content[place + 1 :] + b"\n\n"
        )
        before = "".join(texts[:at]).encode()
        found = decoded(before + damaged)
        first = before.count(b"\n") + 1
        told = [note.line or first for note in found.notes]
        check_damaged(texts, at, found.value[len(before.decode()) :], ("byte", seed, form), told=told)
