# SPDX-License-Identifier: Apache-2.0
"""From changes of cells to the belief, and what follows from it alone."""
