# SPDX-License-Identifier: Apache-2.0
"""One game at one table: the interface of the referee and the view."""
