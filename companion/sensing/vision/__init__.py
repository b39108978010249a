# SPDX-License-Identifier: Apache-2.0
"""Computer vision: arrays in, arrays out. Pure: no time, no camera, no game."""
