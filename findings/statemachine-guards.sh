#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Guards of python-statemachine are looked up by dir(): an object that answers by __getattr__ has none.
#
#   python-statemachine 3.2.2, a chart with cond="is_ready", and listeners=[object] for the guard:
#     a class attribute, an instance attribute, a property   the guard is read at each event
#     __getattr__                                            InvalidDefinition when the chart is made
#     __getattr__ and a __dir__ that names it                the guard is read at each event
#
# getattr(object, "is_ready") works for all of them, so a proxy, or a mock made by __getattr__, looks as if it would do.
# Seen with Python 3.11 on Linux, 2026-11-30.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip --quiet --disable-pip-version-check install --target "$folder" "python-statemachine==3.2.2"

seen=$(PYTHONPATH="$folder" python3 -c '
from statemachine import State, StateChart
from statemachine.exceptions import InvalidDefinition

class Chart(StateChart):
    off = State(initial=True)
    on = State()
    switch = off.to(on, cond="is_ready") | on.to(off)

class Fixed:
    is_ready = True

class Own:
    def __init__(self):
        self.is_ready = True

class Computed:
    @property
    def is_ready(self):
        return True

class Proxy:
    def __getattr__(self, name):
        if name != "is_ready":
            raise AttributeError(name)
        return True

class Listed(Proxy):
    def __dir__(self):
        return [*super().__dir__(), "is_ready"]

for kind in (Fixed, Own, Computed, Proxy, Listed):
    assert getattr(kind(), "is_ready")
    try:
        chart = Chart(listeners=[kind()])
    except InvalidDefinition:
        print(kind.__name__, "InvalidDefinition")
    else:
        chart.send("switch")
        print(kind.__name__, *chart.configuration_values)
')
echo "$seen"
test "$seen" = "Fixed on
Own on
Computed on
Proxy InvalidDefinition
Listed on"
