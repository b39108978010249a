# SPDX-License-Identifier: Apache-2.0
"""Libraries of devices with the interfaces of hidapi and bleak, for simulated boards.

A board is a socket in the folder that `COMPANION_SIMULATED_BOARDS` names; each packet is a report
or a notification. A program in a process of its own finds them by `PYTHONPATH`.
"""
