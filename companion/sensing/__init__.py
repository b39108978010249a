# SPDX-License-Identifier: Apache-2.0
"""Messages and images become observations; nothing below confidence leaves this room."""
