# SPDX-License-Identifier: Apache-2.0
"""The certificate of this machine is renewed in time, by the same authority."""

from __future__ import annotations

import datetime
from pathlib import Path

from companion.host.start_page.local_certificate import authority_file, is_due, local_certificate


def test_a_certificate_is_due_before_it_ends_and_when_this_machine_has_another_name(own_folder: Path) -> None:
    now = datetime.datetime.now(datetime.UTC)
    made = Path(local_certificate(["table.example"]).chain).read_bytes()
    authority = authority_file().read_bytes()
    assert made.endswith(authority)
    assert not is_due(["table.example"], now + datetime.timedelta(days=350))
    assert is_due(["table.example"], now + datetime.timedelta(days=370))
    assert is_due(["other.example"], now)
    renewed = Path(local_certificate(["other.example"]).chain).read_bytes()
    assert renewed != made
    assert renewed.endswith(authority)
    assert not is_due(["other.example"], now)
