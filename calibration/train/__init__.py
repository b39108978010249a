# SPDX-License-Identifier: Apache-2.0
"""Training of the classifier of cells without tags, from rendered cells only."""
