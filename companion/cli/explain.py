# SPDX-License-Identifier: Apache-2.0
"""`companion tools explain-moves` and `fit-costs`; the rule of `companion.cli.main` applies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from companion.cli.program import Commands
from companion.cli.shared import CostsFile, LanguageCode, Misused

if TYPE_CHECKING:
    from companion.host.records.explain import Explained

app: Final = Commands()


@app.command(
    "explain-moves",
    epilog="Examples: companion tools explain-moves evening.jsonl · companion tools explain-moves evening.jsonl --at 12",
)
def explain_moves(
    journal: Annotated[Path, typer.Argument(dir_okay=False, help="Journal of a game.")],
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="PLY", min=1, help="Number of the ply (default: the last one)."),
    ] = None,
    costs: CostsFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    language: LanguageCode = None,
) -> None:
    """Explain a decision of the referee: the two best stories, and what each assumes.

    Each cause has a cost in nats: the negative logarithm of its probability.
    The referee believes the cheapest story. The journal is replayed with today's referee.
    """
    from companion.host import settings
    from companion.host.journal import journal as journals
    from companion.host.records import explain as explaining
    from companion.model.errors import JournalError

    try:
        table = settings.costs_of(costs) if costs else None
        explained = explaining.explain(journals.read(journal), None if at is None else at - 1, table)
    except JournalError as fault:
        raise Misused("{reason}", option="JOURNAL", reason=fault) from fault
    if not explained.decisions:
        raise Misused(
            "{path} has {count} plies about which something was decided; there is no ply {number}",
            option="--at" if at else "JOURNAL",
            path=journal,
            count=explained.plies,
            number=at or 1,
        )
    if as_json:
        typer.echo(json.dumps(explaining.as_data(explained), ensure_ascii=False, indent=1))
        return
    for line in _lines(explained, language):
        typer.echo(line)


def _lines(explained: Explained, language: str | None) -> list[str]:
    """The decisions in the language of the command or of the settings."""
    from companion.feedback import account
    from companion.feedback.words import load
    from companion.host import settings

    rules = explained.rules
    words = load(language or settings.read(settings.path()).language, rules.slug, rules.sides)
    said, found = words.common.account, list[str]()
    for each in explained.decisions:
        headline = said[each.kind]
        found.append(words.fill(headline, number=each.ply + 1, seconds=each.at_ms / 1000, move=each.move))
        if each.kept is not None:
            found.append(words.fill(said["kept" if each.kept else "kept-none"], move=each.kept))
        found += account.lines(each.account, words, rules.grid)
    return found


@app.command(
    "fit-costs",
    epilog="Examples: companion tools fit-costs evening.jsonl · companion tools fit-costs *.jsonl -o club-costs.toml",
)
def fit_costs(
    journal: Annotated[list[Path], typer.Argument(dir_okay=False, help="Journals of kept games.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", dir_okay=False, help="File of the table (default: the terminal)."),
    ] = None,
) -> None:
    """Count what hands and sensors did in kept games; write a table of costs.

    Counted are plies that were announced and not corrected. Causes that never occurred keep their
    default cost unless so many plies show that they are rarer.
    """
    from rich.console import Console
    from rich.progress import track

    from companion.host.journal import journal as journals
    from companion.host.records.export import save
    from companion.host.records.fit import fit
    from companion.model.errors import JournalError

    try:
        read = [journals.read(path) for path in journal]
    except JournalError as fault:
        raise Misused("{reason}", option="JOURNAL", reason=fault) from fault
    errors = Console(stderr=True, highlight=False)
    table = fit(track(read, "journals", console=errors, transient=True, disable=not errors.is_terminal))
    if output is None:
        typer.echo(table, nl=False)
        return
    save(output, table)
    typer.echo(f"The table is in {output}. To use it: companion play GAME --costs {output}", err=True)
