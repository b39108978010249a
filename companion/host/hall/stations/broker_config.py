# SPDX-License-Identifier: Apache-2.0
"""A script that opens a Mosquitto to a hall and its tables.

Since version 2 Mosquitto lets nobody in from other machines until its configuration says who may.
Each table has a user of its own, with the name of its station, and may use the two topics of that
station only; the hall may use those of all stations.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Final

from companion.host.hall.core.station_states import is_name
from companion.model.errors import SettingsError

HALL_USER: Final = "hall"
"""User of the hall at the broker; no station can have this name there."""
_SCRIPT: Final = """\
#!/bin/sh
# Opens Mosquitto (2.0 or newer) to the hall {hall} and its tables. Run it as root where the broker is:
#   companion hall broker-config {hall} {boards} > broker.sh
#   sudo sh broker.sh && sudo systemctl restart mosquitto
# It has the passwords: keep it to yourself. Another folder than /etc/mosquitto is its argument.
set -eu
folder=${{1:-/etc/mosquitto}}
mkdir -p "$folder/conf.d"
cat > "$folder/conf.d/companion.conf" <<END
listener {port}
allow_anonymous false
password_file $folder/companion.passwords
acl_file $folder/companion.acl
END
cat > "$folder/companion.acl" <<'END'
user {user}
topic read companion/{hall}/up/+
topic write companion/{hall}/down/+
topic readwrite companion/{hall}/halls

pattern write companion/{hall}/up/%u
pattern read companion/{hall}/down/%u
END
: > "$folder/companion.passwords"
chmod 600 "$folder/companion.passwords"
{users}
if id mosquitto > /dev/null 2>&1; then
  chown mosquitto "$folder/companion.passwords" "$folder/companion.acl"
fi
# The hall:
#   COMPANION_MQTT_PASSWORD={password} companion hall --broker mqtt://{user}@localhost/{hall}
{tables}
"""


def script(
    hall: str,
    stations: Sequence[str],
    port: int = 1883,
    password: Callable[[], str] = lambda: secrets.token_hex(8),
) -> str:
    """Return the script for *hall* and the tables *stations*, each with a new *password*.

    Raises `SettingsError` for a name that cannot be a station's, or a hall's.
    """
    for name in (hall, *stations):
        if not (is_name(name) and name.isascii()) or name == HALL_USER:
            raise SettingsError(
                "{name!r} cannot have a user at the broker: a name has letters, digits, - and _, and is not {hall}",
                name=name,
                hall=HALL_USER,
            )
    words = {name: password() for name in (HALL_USER, *stations)}
    users = "\n".join(
        f'mosquitto_passwd -b "$folder/companion.passwords" {name} {word}' for name, word in words.items()
    )
    tables = "\n".join(
        f"# The table {name}:\n#   COMPANION_MQTT_PASSWORD={words[name]} companion hall table {name} GAME "
        f"--hall mqtt://{name}@BROKER/{hall}"
        for name in stations
    )
    return _SCRIPT.format(
        hall=hall,
        boards=" ".join(stations),
        port=port,
        user=HALL_USER,
        password=words[HALL_USER],
        users=users,
        tables=tables,
    )
