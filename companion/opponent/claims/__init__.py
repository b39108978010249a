# SPDX-License-Identifier: Apache-2.0
"""What may be said of a move, verified by a search of its own.

`claims` is the one source of what hints, warnings and reviews say of moves. It is pure: a number of
positions and a predicate bound its work, and what is not verified within them is not claimed.
"""

from companion.model.claims import Claim, ClaimKind, WrittenClaim
from companion.opponent.claims.finder import MOST_NODES, claims
from companion.opponent.claims.written import checked, written

__all__ = ["MOST_NODES", "Claim", "ClaimKind", "WrittenClaim", "checked", "claims", "written"]
