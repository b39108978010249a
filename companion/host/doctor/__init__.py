# SPDX-License-Identifier: Apache-2.0
"""Finds what is wrong with a panel, a camera or this computer."""
