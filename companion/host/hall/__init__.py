# SPDX-License-Identifier: Apache-2.0
"""Many tables and those who look after them."""
