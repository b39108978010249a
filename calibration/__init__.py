# SPDX-License-Identifier: Apache-2.0
"""The workshop: tools a person runs to fit a table's sensors to its grid. Imports the program, never the other way."""
