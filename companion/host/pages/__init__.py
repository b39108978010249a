# SPDX-License-Identifier: Apache-2.0
"""The files that browsers get: scripts and styles in bundles, all from memory."""
