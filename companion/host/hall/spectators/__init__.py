# SPDX-License-Identifier: Apache-2.0
"""What everybody may see of a hall, with its delay."""
