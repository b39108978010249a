# SPDX-License-Identifier: Apache-2.0
"""The links between a hall and its tables: in process, in worker processes, over MQTT."""
