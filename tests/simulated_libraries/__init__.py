# SPDX-License-Identifier: Apache-2.0
"""Libraries of devices with the interfaces of hidapi and bleak, for simulated eboards.

An eboard is a socket in the folder of `COMPANION_SIMULATED_EBOARDS`; each packet is a report
or a notification. A program in a process of its own finds them by `PYTHONPATH`.
"""
