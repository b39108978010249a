# SPDX-License-Identifier: Apache-2.0
"""Simulated boards of other makers, with their delays and faults.

Pure. They share nothing with `companion.boards`: each side has its own account of the protocol.
"""
