# SPDX-License-Identifier: Apache-2.0
"""What keeps a hall with hundreds of boards fast; readers who look for behaviour can skip it.

Nothing here changes what is played or shown. Worker processes start with more than `TOGETHER`
boards; the other parts are used by a hall of any size, but a table alone does without them.
"""
