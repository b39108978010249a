# SPDX-License-Identifier: Apache-2.0
"""Default interval of retries and polls."""

AFTER_S: float = 1.0
"""Low load, quick recovery. Tests set it lower."""
