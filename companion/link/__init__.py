# SPDX-License-Identifier: Apache-2.0
"""The link to a panel: from bytes to messages and back."""
