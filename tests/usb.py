# SPDX-License-Identifier: Apache-2.0
"""USB cameras as files of Linux, with fake phones as their images."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from tests.phone import Phone

KIND = ("046d", "0825", "C270")
"""Vendor, product and name of every camera here."""


@dataclass
class Bus:
    """The sockets of a machine whose files are in *root*."""

    root: Path
    phones: dict[int, Phone] = field(default_factory=dict)
    """The source of a camera's images, by number."""
    opened: list[int] = field(default_factory=list)
    """The numbers of cameras that were opened."""

    def plug(
        self, number: int, serial: str = "", socket: str = "1", phone: Phone | None = None, index: int = 0
    ) -> None:
        """Plug in a camera as *number*; *index* is above 0 for its further devices."""
        usb = self.root / f"sys/devices/pci0000:00/usb1/1-{socket}"
        told = {"idVendor": KIND[0], "idProduct": KIND[1]} | ({"serial": serial} if serial else {})
        node = self.root / f"sys/class/video4linux/video{number}"
        links = self.root / "dev/v4l/by-path"
        for folder in (usb / f"1-{socket}:1.0", node, links):
            folder.mkdir(parents=True, exist_ok=True)
        for name, value in told.items():
            (usb / name).write_text(f"{value}\n")
        (node / "name").write_text(f"{KIND[2]}\n")
        (node / "index").write_text(f"{index}\n")
        (node / "device").symlink_to(usb / f"1-{socket}:1.0")
        link = links / f"pci-0000:00:14.0-usb-0:{socket}:1.0-video-index{index}"
        link.symlink_to(f"../../video{number}")
        if phone is not None:
            self.phones[number] = phone
        (self.root / f"dev/video{number}").touch()  # last, so that readers see no camera or a complete one

    def unplug(self, number: int) -> None:
        """Unplug the camera together with its image source."""
        node = self.root / f"sys/class/video4linux/video{number}"
        (self.root / f"dev/video{number}").unlink()
        (node / "device").unlink()
        for link in (self.root / "dev/v4l/by-path").glob("*"):
            if not link.exists():
                link.unlink()
        if number in self.phones:
            self.phones.pop(number).vanish()

    def device(self, number: int, *_: Any) -> cv2.VideoCapture:
        """Replaces `cv2.VideoCapture`: the phone that belongs to *number*."""
        self.opened.append(number)
        phone = self.phones.get(number)
        return _VIDEO_CAPTURE(phone.address) if phone else _VIDEO_CAPTURE()


_VIDEO_CAPTURE = cv2.VideoCapture
