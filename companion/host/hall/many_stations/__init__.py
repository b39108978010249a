# SPDX-License-Identifier: Apache-2.0
"""Parts that keep a hall with hundreds of stations fast.

Readers who look for behaviour can skip this package: nothing here changes what is played or
shown. Worker processes start with more than `TOGETHER` stations; the other parts are used by a
hall of any size, but a table alone does without them.
"""
