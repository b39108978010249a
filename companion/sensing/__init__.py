# SPDX-License-Identifier: Apache-2.0
"""From messages and images to observations; confidence stays inside this package."""
