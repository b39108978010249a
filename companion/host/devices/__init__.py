# SPDX-License-Identifier: Apache-2.0
"""Ports, panels and cameras of this computer, and camera profiles."""
