# SPDX-License-Identifier: Apache-2.0
"""Lessons: what is shown and asked, and how answers are judged."""
