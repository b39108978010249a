# SPDX-License-Identifier: Apache-2.0
"""Tasks, clocks, files and sockets around the pure core."""
