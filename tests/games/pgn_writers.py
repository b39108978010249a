# SPDX-License-Identifier: Apache-2.0
"""One game as programs and people write it in Portable Game Notation, with invented names."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_LINE: Final = """
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8 Nf1 Bf8 Ng3
g6 a4 c5 d5 c4 Bg5 h6 Be3 Nc5 Qd2 h5
"""
MOVES: Final = tuple(_LINE.split())
"""A game that others may have played, too; it is given up."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game, and what programs tell of it."""

    white: str = "Älder, Ana"
    black: str = "O'Birch, Ben"
    result: str = "1-0"
    round: int = 1
    moves: Sequence[str] = MOVES
    start: str = ""
    """Position in FEN; "" for the usual one."""

    def left_s(self, ply: int) -> int:
        """Seconds on the clock of the side that made the move *ply*."""
        return 5400 + 30 * (ply // 2) - self.used_s(ply) * (ply // 2 + 1)

    def used_s(self, ply: int) -> int:
        """Seconds that the move *ply* took."""
        return 5 + ply % 2 * 7


@dataclass(frozen=True, slots=True)
class Form:
    """How a program writes a game."""

    write: Callable[[Played], str]
    has_left: bool = False
    """It tells the time left."""
    has_used: bool = False
    """It tells the time used."""
    encoding: str = "utf-8"
    line_end: str = "\n"


def _tags(**tags: object) -> str:
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items())


def _seven(game: Played, **more: object) -> str:
    return _tags(
        Event="Club evening",
        Site="Northtown",
        Date="2026.03.05",
        Round=game.round,
        White=game.white,
        Black=game.black,
        Result=game.result,
        **({"SetUp": "1", "FEN": game.start} if game.start else {}),
        **more,
    )


def _hms(seconds: int, form: str = "{}:{:02}:{:02}") -> str:
    return form.format(seconds // 3600, seconds // 60 % 60, seconds % 60)


def _numbered(
    game: Played,
    comment: Callable[[int], str] = lambda _: "",
    *,
    number: str = "{}. ",
    again: str = "{}... ",
) -> list[str]:
    """The moves with numbers; *again* stands before Black's move after a comment."""
    words = []
    for ply, move in enumerate(game.moves):
        form = again if ply % 2 and comment(ply - 1) else "" if ply % 2 else number
        words.append(form.format(ply // 2 + 1) + move)
        words += [said] if (said := comment(ply)) else []
    return words


def _filled(words: Sequence[str], width: int) -> str:
    return textwrap.fill(" ".join(words), width, break_long_words=False, break_on_hyphens=False)


def lichess(game: Played) -> str:
    """A game of lichess.org with its analysis, in one line."""
    glyph = {9: "?!", 20: "??"}

    def said(ply: int) -> str:
        clock = f"{{ [%eval 0.{ply:02}] [%clk {_hms(game.left_s(ply))}] }}"
        if ply not in glyph:
            return clock
        best = "Inaccuracy. d3 was best." if ply == 9 else "Blunder. Nb6 was best."
        return f"{clock} {{ (0.20 → 0.98) {best} }} ({ply // 2 + 1}{'...' if ply % 2 else '.'} d5 exd5)"

    marked = [move + glyph.get(ply, "") for ply, move in enumerate(game.moves)]
    words = _numbered(Played(moves=marked), said)
    tags = _seven(game, UTCDate="2026.03.05", WhiteElo="1516", Variant="Standard", TimeControl="5400+30")
    return f"{tags}\n{' '.join(words)} {game.result}\n\n\n"


def chess_com(game: Played) -> str:
    """A game of Chess.com: clocks with tenths, and tags without a value."""
    words = _numbered(game, lambda ply: f"{{[%clk {_hms(game.left_s(ply))}.0]}}")
    tags = _seven(game, CurrentPosition="8/8/8/8/8/8/8/8 w - -", WhiteTitle="", TimeControl="5400+30")
    return f"{tags}\n{' '.join(words)} {game.result}\n\n"


def chessbase(game: Played) -> str:
    """A game of ChessBase with evaluations, variations, glyphs and drawings."""
    said = {
        2: "$1 {[%cal Gf3e5][%csl Rd4]}",
        8: "$6 (5. d3 b5 (5... d6 6. c3 {a quiet\nplan}) 6. Bb3) $14",
        15: "$146 {theory ( and no more }",
    }
    words = ["{[%evp 0,38,19,31,-29996,29997]}", *_numbered(game, lambda ply: said.get(ply, ""))]
    tags = _seven(game, ECO="C95", PlyCount=len(game.moves), EventDate="2026.??.??", SourceQuality="1")
    return f"{tags}\n{_filled(words, 79)} {game.result}\n\n"


def live_chess(game: Played) -> str:
    """A game of DGT LiveChess: two comments for each move, broken at blanks."""

    def said(ply: int) -> str:
        hours = "{:02}:{:02}:{:02}"
        return f"{{[%clk {_hms(game.left_s(ply), hours)}]}} {{[%emt {_hms(game.used_s(ply), hours)}]}}"

    head = _tags(ePGN="0.1;DGT LiveChess/2.2.6")
    tags = _seven(game, TimeControl="90min + 30s/move", WhiteClock="01:25:36", ReferenceTime="W/2026-03-05")
    return f"{head}{tags}\n{_filled(_numbered(game, said, again=''), 80)} {game.result}\n\n"


def scid(game: Played) -> str:
    """A game of Scid, with a null move in a variation."""
    words = _numbered(game, lambda ply: "(3... -- 4. d4 $18)" if ply == 5 else "")
    return f"{_seven(game, ECO='C95', WhiteType='human')}\n{_filled([*words, game.result], 75)}\n\n"


def cute_chess(game: Played) -> str:
    """A game between programs, of Cute Chess."""
    words = _numbered(game, lambda ply: "{book}" if ply < 6 else f"{{+0.{ply:02}/12 5.0s}}", again="")
    tags = _seven(game, GameDuration="00:09:10", PlyCount=len(game.moves), TimeControl="40/300")
    return f"{tags}\n{_filled([*words, game.result], 80)}\n\n"


def chess_tempo(game: Played) -> str:
    """A line of ChessTempo: no blank after a number, blanks inside of brackets."""
    words = _numbered(game, lambda ply: "( 2...d6 3.d4 $1 )" if ply == 3 else "", number="{}.", again="{}...")
    return f"{_seven(game)}\n{_filled([*words, game.result], 90)}\n\n"


def fics(game: Played) -> str:
    """A game of the Free Internet Chess Server (FICS)."""
    words = _numbered(game, lambda ply: f"{{[%emt {game.used_s(ply)}.000]}}", again="")
    tags = _seven(game, FICSGamesDBGameNo="1", WhiteRD="18.5", WhiteClock="0:06:00.000", TimeControl="360+0")
    return f"{tags}\n{' '.join(words)} {{Black resigns}} {game.result}\n\n"


def icc(game: Played) -> str:
    """A game of the Internet Chess Club: its result is there thrice."""
    tags = _seven(game, ICCResult="Black resigns", Opening="Ruy Lopez", NIC="RL.13", Time="04:44:56")
    return f"{tags}\n{_filled(_numbered(game), 75)}\n{{Black resigns}} {game.result}\n\n"


def archive(game: Played) -> str:
    """A game of an old archive: no blank after a number."""
    words = _numbered(game, number="{}.")
    return f"{_seven(game, WhiteElo='', BlackElo='', ECO='C95')}\n{_filled(words, 80)}  {game.result}\n\n"


def broadcast(game: Played) -> str:
    """A game of a broadcast: tags share a line."""
    players = f'[WhiteTitle "GM"] [White "{game.white}"]\n[Black "{game.black}"] [Round "{game.round}"]\n'
    start = f'[SetUp "1"]\n[FEN "{game.start}"]\n' if game.start else ""
    words = _numbered(game, lambda ply: f"{{[%clk {_hms(game.left_s(ply))}]}}")
    return f'[Event "Club evening"]\n{players}[Result "{game.result}"]\n{start}\n{_filled(words, 80)} {game.result}\n\n'


def long_notation(game: Played) -> str:
    """A game with the squares of departure, and zeros for castling."""
    squares = {0: "e2-e4", 1: "e7-e5", 2: "Ng1-f3", 3: "Nb8-c6", 4: "Bf1-b5", 8: "0-0", 15: "0-0"}
    moves = [squares.get(ply, move) for ply, move in enumerate(game.moves)]
    return f"{_seven(game)}\n{_filled(_numbered(Played(moves=moves)), 60)} {game.result}\n\n"


def typed(game: Played) -> str:
    """A game typed by hand: no dot after numbers, a colon in the result."""
    pairs = zip(game.moves[::2], game.moves[1::2], strict=True)
    lines = [f"{number:2} {white:8}{black}" for number, (white, black) in enumerate(pairs, 1)]
    moves = "\n".join(lines)
    return f"{_seven(game)}\n{moves}\n{game.result.replace('-', ':')}\n\n\n"


def table(game: Played) -> str:
    """A game with remarks to the end of a line, and dots for White."""
    words = _numbered(game, lambda ply: "; so far\n" if ply % 8 == 6 else "", again="{}.   ... ")
    return f"{_seven(game)}\n{' '.join(words)} {game.result}\n\n"


FORMS: Final = {
    "lichess": Form(lichess, has_left=True),
    "chess.com": Form(chess_com, has_left=True),
    "ChessBase": Form(chessbase, encoding="cp1252", line_end="\r\n"),
    "ChessBase, UTF-8": Form(chessbase, encoding="utf-8-sig", line_end="\r\n"),
    "LiveChess": Form(live_chess, has_left=True, has_used=True, line_end="\r\n"),
    "Scid": Form(scid),
    "Cute Chess": Form(cute_chess),
    "ChessTempo": Form(chess_tempo),
    "FICS": Form(fics, has_used=True),
    "ICC": Form(icc, line_end="\r\n"),
    "archive": Form(archive, encoding="cp1252", line_end="\r\n"),
    "broadcast": Form(broadcast, has_left=True),
    "long notation": Form(long_notation),
    "typed": Form(typed),
    "table": Form(table),
}
"""Programs, places and people, by how they write a game."""
