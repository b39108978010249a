# SPDX-License-Identifier: Apache-2.0
"""Diagnoses panels, cameras and this computer."""
