# SPDX-License-Identifier: Apache-2.0
"""The command line: parses words and calls the host."""
