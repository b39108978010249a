# SPDX-License-Identifier: Apache-2.0
"""Things to print in exact millimetres: pages are values, and only `pdf` knows a library."""
