# SPDX-License-Identifier: Apache-2.0
"""The referee's inference: several hypotheses about the game, each with a cost in nats."""
