# SPDX-License-Identifier: Apache-2.0
"""Records again what follows from the inputs of every recording: `python -m tests.recordings`.

For a change of the referee that is meant to change what it says: look at the difference before you keep it.
"""

from __future__ import annotations

from tests.recordings import again, recordings

for path in recordings():
    again(path)
    print(path)
