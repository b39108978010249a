# SPDX-License-Identifier: Apache-2.0
"""Panels and cameras that become boards when they are plugged in."""
