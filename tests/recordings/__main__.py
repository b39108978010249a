# SPDX-License-Identifier: Apache-2.0
"""Rewrite the events of every recording: `python -m tests.recordings`.

Use it after an intended change of the referee's events. Review the difference before you commit it.
"""

from __future__ import annotations

from tests.recordings import again, recordings

for path in recordings():
    again(path)
    print(path)
