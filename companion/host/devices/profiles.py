# SPDX-License-Identifier: Apache-2.0
"""Where the profiles of camera tables lie: one TOML file each in the platform's place for data, with its images beside it.

Its rule: a file that is there and is no profile is named, never passed over.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Final

import platformdirs

from companion.host.text.os_errors import why
from companion.model.errors import SettingsError
from companion.sensing.profile import Profile, References, read, write

SUFFIX: Final = ".toml"


def folder() -> Path:
    """Where profiles are kept if nobody says otherwise."""
    return platformdirs.user_data_path("companion", appauthor=False) / "profiles"


def path_of(name: str) -> Path:
    """The file that *name* means: itself if it ends as one does, else one in `folder`."""
    return Path(name) if name.endswith(SUFFIX) else folder() / f"{name}{SUFFIX}"


def names() -> tuple[str, ...]:
    """The profiles in `folder`, the newest first."""
    found = {}
    for path in folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):  # somebody deletes it at this very moment
            found[path.stem] = path.stat().st_mtime_ns
    return tuple(sorted(found, key=found.__getitem__, reverse=True))


def load(path: Path) -> Profile:
    """The profile in *path*. Raises `SettingsError`, naming what there is instead."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        known = ", ".join(names())
        remedy = f"known are {known}" if known else "make one with: python -m calibration"
        raise SettingsError(f"there is no profile {path}: {remedy}") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(f"{path} cannot be read: {why(fault)}") from fault
    return read(text, str(path))


def save(profile: Profile, path: Path) -> None:
    """Keep *profile* in *path*, whole or not at all; its images are to be there already. Raises `SettingsError`."""
    fresh = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(write(profile), encoding="utf-8")
        fresh.replace(path)
    except OSError as fault:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise SettingsError(f"{path} cannot be written: {why(fault)}") from fault


def delete(path: Path) -> None:
    """Take the profile in *path* away, and its images. Raises `SettingsError`."""
    found = load(path)
    try:
        path.unlink()
        for image in images(found, path).values():
            image.unlink(missing_ok=True)
    except OSError as fault:
        raise SettingsError(f"{path} cannot be deleted: {why(fault)}") from fault


def rename(path: Path, name: str) -> Path:
    """Call the profile in *path* by another *name*, and its images; returns where it is now.

    Raises `SettingsError` for a name that is taken or is none.
    """
    found = load(path)
    shown = images(found, path)
    try:
        references = References(**{what: f"{name}-{what}.png" for what in shown})
        renamed = replace(found, name=name, references=references)
    except ValueError as fault:
        raise SettingsError(f"{name!r} cannot be a profile's name: {fault}") from fault
    there = path.with_name(f"{name}{SUFFIX}")
    if there.exists():
        raise SettingsError(f"there is a profile {name} already: delete it first, or take another name")
    try:
        for what, image in shown.items():
            if image.exists():
                image.replace(path.with_name(f"{name}-{what}.png"))
    except OSError as fault:
        raise SettingsError(f"{path} cannot be renamed: {why(fault)}") from fault
    save(renamed, there)
    delete(path)
    return there


def images(profile: Profile, path: Path) -> dict[str, Path]:
    """The reference images of *profile* in *path*, by what they show: `empty`, `start`."""
    shown = {"empty": profile.references.empty, "start": profile.references.start}
    return {what: path.parent / name for what, name in shown.items() if name is not None}
