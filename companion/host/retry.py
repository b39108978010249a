# SPDX-License-Identifier: Apache-2.0
"""After how long what has failed is tried again, and what may have changed is looked at again, where nothing else says when."""

AFTER_S: float = 1.0
"""It burdens nobody, and whoever waits sees things mend. A test, which has nobody to spare, sets it lower."""
