# SPDX-License-Identifier: Apache-2.0
"""Links between a hall and its tables: in process and over MQTT."""
