# SPDX-License-Identifier: Apache-2.0
"""One game between two tables, agreed on by a code and played in sealed messages."""
