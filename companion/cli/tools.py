# SPDX-License-Identifier: Apache-2.0
"""`companion tools`: for builders and developers; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Final

from companion.cli.program import Commands, Lazy, LazyGroup

PANELS: Final = {
    "Paper and cameras": {
        "print": Lazy(
            "companion.cli.print",
            "Make PDFs in exact millimetres: tags for pieces, boards, a lens chart, score sheets.",
        ),
        "film": Lazy(
            "companion.cli.play",
            "Record a camera for a bug report; `companion play GAME --camera FOLDER` plays it back.",
        ),
    },
    "Sensor boards": {
        "panels": Lazy(
            "companion.cli.devices", "List the connected sensor boards with their identification."
        ),
        "flash": Lazy("companion.cli.devices", "Write the program of a panel into its chip."),
        "switches": Lazy(
            "companion.cli.devices", "Test every switch of a board: lamps and display lead a magnet."
        ),
        "simulate": Lazy(
            "companion.cli.devices", "Serve a virtual panel with a game's pieces over the real link."
        ),
    },
    "Rules and positions": {
        "demo": Lazy(
            "companion.cli.play",
            "Show a short scripted game in the terminal: moves, an illegal one, CHECK!, the end.",
        ),
        "maps": Lazy("companion.cli.maps", "Check and show custom Tank Chess maps."),
        "moves": Lazy("companion.cli.games", "List the legal moves of a position, one per line."),
        "perft": Lazy(
            "companion.cli.games", "Count move sequences by first move; the last line is the total."
        ),
        "analyse": Lazy("companion.cli.games", "Show the value of a position and its best moves."),
    },
    "The referee": {
        "explain-moves": Lazy(
            "companion.cli.explain",
            "Explain a decision of the referee: the two best stories, and what each assumes.",
        ),
        "fit-costs": Lazy(
            "companion.cli.explain",
            "Count what hands and sensors did in kept games; write a table of costs.",
        ),
    },
}


class _Tools(LazyGroup):
    """The commands of `PANELS`."""

    panels = PANELS


app: Final = Commands(
    cls=_Tools,
    help="Sheets to print, sensor boards, cameras, and what games are made of.",
    epilog="Examples: companion tools demo · companion tools print board chess · companion tools panels",
    no_args_is_help=True,
)
