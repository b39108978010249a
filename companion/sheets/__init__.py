# SPDX-License-Identifier: Apache-2.0
"""Printed sheets in exact millimetres: pages are values, and only `pdf` uses a library."""
