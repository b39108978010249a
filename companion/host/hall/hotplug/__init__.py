# SPDX-License-Identifier: Apache-2.0
"""Panels and cameras that become stations when they are plugged in."""
