# SPDX-License-Identifier: Apache-2.0
"""The harness as a library: its build, and the structs of firmware/sim/sim.h.

Fields have the order of sim.h. It is built on first use; `require_tools` names what a machine
lacks.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
BUILD: Final = ROOT / "firmware" / "build"
SIMAVR_HEADER: Final = Path("/usr/include/simavr/sim_avr.h")
DEBIAN_PACKAGES: Final = "gcc gcc-avr avr-libc libsimavr-dev make"
MAX_CELLS: Final = 1024
MAX_LINES: Final = 32


class TopologyData(ctypes.Structure):
    _fields_ = [
        *[(name, ctypes.c_uint32) for name in ("clock_hz", "line_baud")],
        *[(name, ctypes.c_uint16) for name in ("cells", "rows", "columns", "channel_cycles")],
        *[(name, ctypes.c_uint8) for name in ("row_active", "closed_level", "display_address", "spare")],
        ("row_pin", ctypes.c_int16 * MAX_LINES),
        ("column_pin", ctypes.c_int16 * MAX_LINES),
        *[(name, ctypes.c_int16) for name in ("row_latch_pin", "column_load_pin", "led_pin", "tone_pin")],
        *[(name, ctypes.c_int16) for name in ("lcd_rs_pin", "lcd_enable_pin")],
        ("lcd_data_pin", ctypes.c_int16 * 4),
        ("select_pin", ctypes.c_int16 * 4),
        ("position", ctypes.c_int16 * MAX_CELLS),
        ("pull_up_ohm", ctypes.c_uint32),
        *[(name, ctypes.c_uint16) for name in ("wire_pf", "switch_pf", "supply_mv", "low_mv", "high_mv")],
    ]


class RecordData(ctypes.Structure):
    _fields_ = [
        ("cycle", ctypes.c_uint64),
        ("ns", ctypes.c_int64),
        ("kind", ctypes.c_uint32),
        ("value", ctypes.c_uint32),
    ]


class Counts(ctypes.Structure):
    """Traffic and faults of the line since the start or `clear_figures`; see sim.h."""

    line_in: int
    line_out: int
    rx_overruns: int
    rx_disabled: int
    tx_overwrites: int
    error_flag_writes: int
    garbled: int
    spi_collisions: int
    spi_floating_ss: int
    display_too_fast: int
    eeprom_writes: int
    eeprom_collisions: int
    log_lost: int
    tx_lost: int
    resets: int


Counts._fields_ = [(name, ctypes.c_uint64) for name in Counts.__annotations__]


class Waveform(ctypes.Structure):
    """Shortest and longest high and low times on the LED pin, in cycles.

    A low is a gap within an image.
    """

    zero_high_min: int
    zero_high_max: int
    one_high_min: int
    one_high_max: int
    low_min: int
    low_max: int
    bits: int


Waveform._fields_ = [
    (name, ctypes.c_uint64 if name == "bits" else ctypes.c_uint32) for name in Waveform.__annotations__
]


class Vector(ctypes.Structure):
    """Count, duration and longest delay of one interrupt, in cycles."""

    count: int
    busy_cycles: int
    longest_cycles: int
    latency_cycles: int


Vector._fields_ = [
    (name, ctypes.c_uint32 if name in ("longest_cycles", "latency_cycles") else ctypes.c_uint64)
    for name in Vector.__annotations__
]


class FaultsData(ctypes.Structure):
    _fields_ = [
        *[
            (name, ctypes.c_uint32)
            for name in ("flip_ppm", "drop_ppm", "twice_ppm", "delay_ppm", "delay_cycles")
        ],
        ("seed", ctypes.c_uint64),
    ]


def missing_tools() -> str:
    """Say what the simulator needs and this machine lacks; empty when nothing is missing."""
    lacks = [tool for tool in ("gcc", "avr-gcc", "make") if shutil.which(tool) is None]
    if not SIMAVR_HEADER.exists():
        lacks.append(str(SIMAVR_HEADER))
    if not lacks:
        return ""
    return f"{', '.join(lacks)} missing: apt-get install -y --no-install-recommends {DEBIAN_PACKAGES}"


def require_tools() -> None:
    """Skip the calling test if the tools are missing; fail it in CI."""
    reason = missing_tools()
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@functools.cache
def make(makefile: str, *arguments: str) -> None:
    """Run make once a session, alone even when several test processes start together."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        run = subprocess.run(
            ["make", "-C", str(ROOT / "firmware"), "-f", makefile, f"PYTHON={sys.executable}", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    if run.returncode:
        raise AssertionError(f"make -f {makefile} {' '.join(arguments)} failed:\n{run.stdout}{run.stderr}")


def selftest_elf(name: str, mcu: str) -> Path:
    """Build the harness and its test programs; return the path of one."""
    make("sim/sim.mk", "sim")
    return BUILD / f"selftest_{name}_{mcu}.elf"


@functools.cache
def library() -> ctypes.CDLL:
    make("sim/sim.mk", "sim")
    loaded = ctypes.CDLL(str(BUILD / "libcompanion_sim.so"), use_errno=True)
    loaded.sim_new.restype = ctypes.c_void_p
    loaded.sim_rt_start.restype = ctypes.c_char_p
    for name in ("sim_cycle", "sim_image_count", "sim_records", "sim_take", "sim_eeprom_size"):
        getattr(loaded, name).restype = ctypes.c_uint64
    for name in ("sim_tone_millihertz", "sim_stack_pointer", "sim_ram_end", "sim_eeprom_wear"):
        getattr(loaded, name).restype = ctypes.c_uint32
    loaded.sim_rt_worst_lag_ns.restype = ctypes.c_int64
    return loaded
