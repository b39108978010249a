# SPDX-License-Identifier: Apache-2.0
"""The value of positions. Pure; not imported before a command needs it."""
