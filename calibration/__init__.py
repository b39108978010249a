# SPDX-License-Identifier: Apache-2.0
"""The workshop: interactive tools that calibrate a table's sensors.

Imports the program; the program never imports it.
"""
