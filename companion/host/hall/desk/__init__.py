# SPDX-License-Identifier: Apache-2.0
"""What an arbiter may do, and what is printed."""
