# SPDX-License-Identifier: Apache-2.0
"""Groups of commands: plain help, errors as messages, and commands that are imported when needed.

Its rule: it imports Typer and nothing else that takes long, since every start of the program
imports it, also `companion --version`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Final, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

FAILED: Final = 1
MISUSED: Final = 2
ALL: Final = "--all"
"""With `--help`: show every option."""

F = TypeVar("F", bound=Callable[..., Any])

_QUOTED: Final = re.compile(r"'([^']+)'")


def _heading(text: str) -> str:
    """*text* in bold; Typer leaves the codes out where the output is no terminal."""
    return typer.style(text, bold=True)


class _PlainHelp:
    """What commands and groups have in common: how help and faults of arguments are written."""

    get_params: Any
    epilog: str | None

    def get_shown(self, ctx: Any) -> list[Any]:
        """Return the parameters that the help shows."""
        found: list[Any] = self.get_params(ctx)
        return found

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options under the headings of their panels."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_shown(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                panels.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(record)
        for heading in sorted(panels, key=lambda each: each != "Arguments"):
            with formatter.section(_heading(heading)):
                formatter.write_dl(panels[heading])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, one per line."""
        heading, colon, examples = (self.epilog or "").partition(": ")
        if colon:
            with formatter.section(_heading(heading)):
                for example in examples.split(" · "):
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse *args*. A value that is not known is refused with the closest that is."""
        try:
            rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        except typer.BadParameter as fault:
            raise _with_remedy(fault) from fault
        return rest


def _with_remedy(fault: typer.BadParameter) -> typer.BadParameter:
    """*fault* with the values that are allowed, or with the one that was probably meant."""
    if getattr(fault.param, "name", "") == "game" and type(fault) is not typer.BadParameter:
        from companion.games import slugs

        fault.message = f"Name one of {', '.join(slugs())}."
        return fault
    fault.message = fault.message.removeprefix("Value error, ")
    wrong, *allowed = _QUOTED.findall(fault.message) or [""]
    if meant := get_close_matches(wrong, allowed, n=1):
        fault.message = f"{fault.message.rstrip('.')}. Did you mean {meant[0]!r}?"
    return fault


class PlainCommand(_PlainHelp, TyperCommand):
    """A command with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its parameters."""
        return _with_plain_metavars(super().get_params(ctx))


class LongCommand(PlainCommand):
    """A command with many options: its help shows the usual ones, or with `--all` all."""

    usual: ClassVar[frozenset[str]]
    """Names of the options that are always shown."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse *args*; `--all` belongs to the help."""
        if ALL in args and not set(ctx.help_option_names).isdisjoint(args):
            ctx.meta[ALL] = True
            args = [word for word in args if word != ALL]
        return super().parse_args(ctx, args)

    def get_shown(self, ctx: Any) -> list[Any]:
        """Return the arguments, the usual options and `--help`; with `--all` everything."""
        params = super().get_shown(ctx)
        if ctx.meta.get(ALL):
            return params
        shown = self.usual | {"help"}
        return [each for each in params if each.param_type_name == "argument" or each.name in shown]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write them, and how to see those that are left out."""
        super().format_options(ctx, formatter)
        if left_out := len(self.get_params(ctx)) - len(self.get_shown(ctx)):
            formatter.write_paragraph()
            formatter.write_text(f"{left_out} more options: {ctx.command_path} --help {ALL}")


class PlainGroup(_PlainHelp, TyperGroup):
    """A group with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its parameters."""
        return _with_plain_metavars(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with the first sentence of its help."""
        with formatter.section(_heading("Commands")):
            formatter.write_dl([(name, first_line(self.get_command(ctx, name))) for name in self.commands])


def first_line(command: Any) -> str:
    """Return the first line of the help of *command*."""
    return (command.help or "").strip().partition("\n")[0]


def _with_plain_metavars(params: list[Any]) -> list[Any]:
    """*params* with flags without a value, and prompted options as optional."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = param.metavar or ""
        if getattr(param, "prompt", None):
            param.required = False
    return params


class Program(PlainGroup):
    """The group of a whole program; reports errors in the language of the command."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. An error becomes a message and an exit code."""
        from companion.model.errors import CompanionError, InvalidArgument, OptionError, UnknownName

        try:
            return super().invoke(ctx)
        except CompanionError as fault:
            from companion.cli.shared import Misused, complain

            complain(fault, ctx)
            is_misuse = isinstance(fault, InvalidArgument | OptionError | UnknownName | Misused)
            raise typer.Exit(MISUSED if is_misuse else FAILED) from fault


class Commands(typer.Typer):
    """A Typer whose commands and groups have plain help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"cls": PlainGroup, "rich_markup_mode": None, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[F], F]:
        """Register a command."""
        register: Callable[[F], F] = super().command(name, **{"cls": PlainCommand, **settings})
        return register


@dataclass(frozen=True, slots=True)
class Lazy:
    """A command that is imported when it is used."""

    module: str
    help: str
    """The first line of its help: the list of commands imports none of them."""
    app: str = "app"
    """Name of the Typer in the module: the group, or one with this command."""


class LazyCommands(MutableMapping[str, Any]):
    """The commands of a table by name, each imported at the first use."""

    def __init__(self, table: Mapping[str, Lazy]) -> None:
        self._table = table
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def _load(self, name: str) -> Any:
        """Import the command called *name*."""
        entry = self._table[name]
        group = typer.main.get_group(getattr(importlib.import_module(entry.module), entry.app))
        if name in group.commands:
            return group.commands[name]
        group.name = name
        return group


class LazyGroup(PlainGroup):
    """A group whose commands are listed under headings without importing them."""

    panels: ClassVar[Mapping[str, Mapping[str, Lazy]]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LazyCommands(
            {name: each for panel in self.panels.values() for name, each in panel.items()}
        )

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the commands without importing them."""
        for heading, commands in self.panels.items():
            with formatter.section(_heading(heading)):
                formatter.write_dl([(name, each.help) for name, each in commands.items()])
