# SPDX-License-Identifier: Apache-2.0
"""Close Quarters, solved: the value of every position, and how many plies the result takes."""
