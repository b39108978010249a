# SPDX-License-Identifier: Apache-2.0
"""Files of the workshop: input images, and output profiles with reference images."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import cv2

from calibration.album import Named
from companion.host.devices import profiles
from companion.host.text.os_errors import reporting
from companion.model.errors import SettingsError
from companion.sensing.capture import PICTURES, picture
from companion.sensing.profile import Profile
from companion.sensing.vision.codes import Grey


def images_of(folder: Path) -> Iterator[Named]:
    """The images of *folder* with their names, in order.

    Raises `SettingsError`, `CameraUnavailable`.
    """
    if not folder.is_dir():
        raise SettingsError(
            "{folder} is no folder of images; the workshop in the browser takes cameras and videos, too",
            folder=folder,
        )
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise SettingsError(
            "{folder} holds no images; known are {suffixes}", folder=folder, suffixes=tuple(PICTURES)
        )
    for path in paths:
        yield Named(path.name, picture(path, in_colour=True))


def now() -> str:
    """Local time with its offset, ISO 8601, as in profiles."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def keep(profile: Profile, path: Path, references: dict[str, Grey]) -> None:
    """Write *profile* to *path*, after the images that it names. Raises `SettingsError`."""
    for what, file in profiles.images(profile, path).items():
        if what not in references:
            continue
        with reporting("{path} cannot be written: {reason}", SettingsError, path=file):
            file.parent.mkdir(parents=True, exist_ok=True)
            is_there = cv2.imwrite(str(file), _plain(references[what]))
        if not is_there:
            raise SettingsError(
                "{path} cannot be written: is the disk full, or the folder not yours?", path=file
            )
    profiles.save(profile, path)


def _plain(image: Grey) -> Grey:
    """*image*, converted to grey if it has no colour.

    Games cannot use its colours then.
    """
    has_colour = image.ndim == 3 and bool((image != image[:, :, :1]).any())
    return image if has_colour or image.ndim == 2 else image[:, :, 0]
