# SPDX-License-Identifier: Apache-2.0
"""The command line: parses arguments and calls the host."""
