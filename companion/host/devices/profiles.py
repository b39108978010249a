# SPDX-License-Identifier: Apache-2.0
"""Files of camera profiles, and the connected cameras that have them:

TOML in the platform's data folder, with images beside them.

Its rule: an existing file that is not a profile is reported, never ignored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import platformdirs

from companion.host.text.os_errors import reporting, why
from companion.model.errors import SettingsError
from companion.model.grid import Grid
from companion.sensing.devices import Spotted, spotted

if TYPE_CHECKING:
    from companion.sensing.profile import Profile

SUFFIX: Final = ".toml"


def folder() -> Path:
    """Return the default folder of profiles."""
    return platformdirs.user_data_path("companion", appauthor=False) / "profiles"


def path_of(name: str) -> Path:
    """Return the file of profile *name*: itself with the suffix, otherwise in `folder`."""
    return Path(name) if name.endswith(SUFFIX) else folder() / f"{name}{SUFFIX}"


def names() -> tuple[str, ...]:
    """Return the names of the profiles in `folder`, newest first."""
    found = {}
    for path in folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):  # it was deleted in between
            found[path.stem] = path.stat().st_mtime_ns
    return tuple(sorted(found, key=found.__getitem__, reverse=True))


def load(path: Path) -> Profile:
    """Read the profile in *path*. Raises `SettingsError` with the existing ones."""
    from companion.sensing.profile import read  # imports numpy, which a table without a camera does not need

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        known = ", ".join(names())
        remedy = f"known are {known}" if known else "make one with: python -m calibration"
        raise SettingsError("there is no profile {path}: {remedy}", path=path, remedy=remedy) from None
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=path, reason=why(fault)) from fault
    return read(text, str(path))


def save(profile: Profile, path: Path) -> None:
    """Write *profile* to *path* atomically.

    Raises `SettingsError`.

    Its images have to exist already.
    """
    from companion.sensing.profile import write

    fresh = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(write(profile), encoding="utf-8")
        fresh.replace(path)
    except OSError as fault:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise SettingsError("{path} cannot be written: {reason}", path=path, reason=why(fault)) from fault


def delete(path: Path) -> None:
    """Delete the profile in *path* and its images. Raises `SettingsError`."""
    found = load(path)
    with reporting("{path} cannot be deleted: {reason}", SettingsError, path=path):
        path.unlink()
        for image in images(found, path).values():
            image.unlink(missing_ok=True)


def rename(path: Path, name: str) -> Path:
    """Rename the profile in *path* and its images to *name*; return the new path.

    Raises `SettingsError` if the name is taken or invalid.
    """
    from companion.sensing.profile import References

    found = load(path)
    shown = images(found, path)
    try:
        references = References(**{what: f"{name}-{what}.png" for what in shown})
        renamed = replace(found, name=name, references=references)
    except ValueError as fault:
        raise SettingsError(
            "{name!r} cannot be a profile's name: {reason}", name=name, reason=fault
        ) from fault
    there = path.with_name(f"{name}{SUFFIX}")
    if there.exists():
        raise SettingsError(
            "there is a profile {name} already: delete it first, or take another name", name=name
        )
    with reporting("{path} cannot be renamed: {reason}", SettingsError, path=path):
        for what, image in shown.items():
            if image.exists():
                image.replace(path.with_name(f"{name}-{what}.png"))
    save(renamed, there)
    delete(path)
    return there


def images(profile: Profile, path: Path) -> dict[str, Path]:
    """Return the paths of the reference images of *profile*, by `empty` and `start`."""
    shown = {"empty": profile.references.empty, "start": profile.references.start}
    return {what: path.parent / name for what, name in shown.items() if name is not None}


@dataclass(frozen=True, slots=True)
class Camera:
    """A connected camera."""

    key: str
    number: int
    name: str
    profiles: tuple[tuple[str, str], ...] = ()
    """Name and board grid of its profiles, newest first."""

    def profile_of(self, grid: Grid) -> str | None:
        """Return its newest profile for *grid*; None without one."""
        return next((name for name, of in self.profiles if of == grid.slug), None)


def plugged_cameras(spot: Callable[[], Sequence[Spotted]] = spotted) -> tuple[list[Camera], list[str]]:
    """Return the connected cameras with profiles, and the unreadable profiles.

    Raises `CameraUnavailable`.
    """
    there = spot()
    made_with: dict[str, list[tuple[str, str]]] = {each.key: [] for each in there}
    faults = []
    for name in names() if there else ():
        try:
            profile = load(path_of(name))
        except SettingsError as fault:
            faults.append(str(fault))
        else:
            made_with.get(profile.camera.key, []).append((name, profile.board.grid))
    return [Camera(each.key, each.number, each.name, tuple(made_with[each.key])) for each in there], faults
