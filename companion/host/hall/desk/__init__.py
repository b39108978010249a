# SPDX-License-Identifier: Apache-2.0
"""The arbiter's desk: actions, accounts, printing."""
