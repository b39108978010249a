# SPDX-License-Identifier: Apache-2.0
"""The floor with tasks, clocks, files and sockets."""
