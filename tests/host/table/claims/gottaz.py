# SPDX-License-Identifier: Apache-2.0
"""GOTTAZ: what each sentence claims, worked out from the rulebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from companion.model.game import Argument
from companion.model.pieces import Piece, Side

from .drop import Claim, Drop, Place, between, never, of_another_side, place

LIMIT: Final = 8


def ability(piece: Piece | None) -> str:
    return piece.pose.partition("-")[0] if piece else ""


def strength(piece: Piece) -> int:
    return int(piece.pose.partition("-")[2])


def row(at: Place, side: Side) -> int:
    """The row of a place as *side* counts, its own territory being row 1."""
    return 5 - at[1] if side else at[1] + 1


def is_beside(one: Place, other: Place, *, diagonally: bool = False) -> bool:
    files, ranks = abs(one[0] - other[0]), abs(one[1] - other[1])
    return max(files, ranks) == 1 if diagonally else files + ranks == 1


def has_neighbours(drop: Drop, one: Place, other: Place) -> bool:
    """True if Swap reaches from one to the other."""
    return is_beside(one, other, diagonally=drop.option("adjacency") == "all-eight")


def boards(drop: Drop) -> Iterator[list[tuple[Place, Piece]]]:
    """The pieces after each reading of the drop, before a battle."""
    others, target = drop.others(), place(drop.target)
    yield [*others.items(), (target, drop.piece)]
    if drop.source and target in others:  # they change places
        moved = {at: piece for at, piece in others.items() if at != target}
        yield [*moved.items(), (target, drop.piece), (place(drop.origin), others[target])]


def row_limit(*, own: bool) -> Claim:
    """The claim that a row of the own or other side would hold too much."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        side = drop.turn if own else 1 - drop.turn
        for board in boards(drop):
            inside = [piece for at, piece in board if piece.side == side and row(at, side) == said["row"]]
            total = sum(map(strength, inside))
            limit = LIMIT + sum(ability(piece) == "supply" for piece in inside)
            if total > limit and (total, limit) == (said["total"], said["limit"]):
                return True
        return False

    return claim


def own_pawn(drop: Drop, said: dict[str, Argument]) -> bool:
    other = drop.on(said["target"])
    is_own = other is not None and other.side == drop.piece.side
    return is_own and said["target"] == drop.target and said["source"] == drop.origin != ""


def goes(drop: Drop) -> bool:
    """True if a move or the pawn's ability reaches the target."""
    start, end = place(drop.origin), place(drop.target)
    files, ranks = end[0] - start[0], end[1] - start[1]
    reaches = {
        "leap": sorted((abs(files), abs(ranks))) == [0, 2],
        "slant": abs(files) == abs(ranks) == 1,
        "jump": row(end, drop.turn) == 1,
    }.get(ability(drop.piece), False)
    return reaches or is_beside(start, end)


def shape(kind: str) -> Claim:
    """The claim that a pawn with ability *kind* does not go there."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        is_kind = ability(drop.piece) == kind
        is_named = said["target"] == drop.target and said["source"] == drop.origin
        return is_kind and is_named and not goes(drop)

    return claim


def move_shape(drop: Drop, said: dict[str, Argument]) -> bool:
    is_plain = ability(drop.piece) not in ("leap", "slant", "jump")
    return is_plain and shape(ability(drop.piece))(drop, said)


def leap_blocked(drop: Drop, said: dict[str, Argument]) -> bool:
    over = between(place(drop.origin), place(drop.target))
    is_leap = ability(drop.piece) == "leap" and goes(drop) and drop.option("leap_over") == "no"
    return is_leap and [place(str(said["cell"]))] == over and drop.on(said["cell"]) is not None


def place_territory(drop: Drop, said: dict[str, Argument]) -> bool:
    found = row(place(drop.target), drop.turn)
    return not drop.source and said["cell"] == drop.target and said["row"] == found != 1


def place_which(drop: Drop, said: dict[str, Argument]) -> bool:
    """Another pawn or face may be placed there."""
    is_home = row(place(drop.target), drop.turn) == 1
    return not drop.source and is_home and said["cell"] == drop.target and drop.on(drop.target) is None


def place_occupied(drop: Drop, said: dict[str, Argument]) -> bool:
    """A pawn lies there that may not be fought."""
    other = drop.on(drop.target)
    is_fought = drop.option("enter_occupied_territory") == "battle" and other and other.side != drop.turn
    return not drop.source and said["cell"] == drop.target and other is not None and not is_fought


def battle_result(drop: Drop, said: dict[str, Argument]) -> bool:
    """A placed pawn would go back at once: nothing would change."""
    other, at = drop.on(drop.target), place(drop.target)
    if drop.source or other is None or drop.option("enter_occupied_territory") != "battle":
        return False
    near = [
        piece.side
        for each, piece in drop.others().items()
        if ability(piece) == "support" and has_neighbours(drop, each, at)
    ]
    attack = strength(drop.piece) + near.count(drop.turn)
    defence = strength(other) + near.count(1 - drop.turn) * (drop.option("defender_support") == "yes")
    is_said = (said["attack"], said["defence"], said["cell"]) == (attack, defence, drop.target)
    return is_said and other.side != drop.turn and attack < defence


def hand_empty(drop: Drop, _said: dict[str, Argument]) -> bool:
    return not drop.source and not any(drop.position.hands[drop.turn])


def choosing(drop: Drop, said: dict[str, Argument]) -> bool:
    is_choosing: bool = drop.rules.is_choosing(drop.position)  # type: ignore[attr-defined]
    return is_choosing and said["cell"] == drop.target


def pair(drop: Drop, said: dict[str, Argument]) -> bool:
    """True if the sentence is about the held pawn and the one on the target."""
    is_met = drop.on(drop.target) is not None and bool(drop.source)
    return is_met and {said["cell"], said["other"]} == {drop.origin, drop.target}


def swap_ability(drop: Drop, said: dict[str, Argument]) -> bool:
    both = (drop.piece, drop.on(drop.target))
    has_swap = any(ability(each) == "swap" and each is not None and each.side == drop.turn for each in both)
    return pair(drop, said) and not has_swap


def swap_adjacent(drop: Drop, said: dict[str, Argument]) -> bool:
    return pair(drop, said) and not has_neighbours(drop, place(drop.origin), place(drop.target))


def swap_same(drop: Drop, _said: dict[str, Argument]) -> bool:
    return bool(drop.source) and drop.on(drop.target) == drop.piece


def pushed_to(drop: Drop) -> Place | None:
    """Where an own Tsunami pawn pushes the held one; None without such a pawn."""
    if not drop.source:
        return None
    (file, rank), ahead = place(drop.origin), -1 if drop.turn else 1
    behind = drop.others().get((file, rank - ahead))
    is_tsunami = behind is not None and behind.side == drop.turn and ability(behind) == "tsunami"
    return (file, rank + 2 * ahead) if is_tsunami else None


def tsunami_edge(drop: Drop, said: dict[str, Argument]) -> bool:
    end = pushed_to(drop)
    return end is not None and end[1] not in range(5) and said["cell"] == drop.origin


def tsunami_shape(drop: Drop, said: dict[str, Argument]) -> bool:
    end = pushed_to(drop)
    is_named = end is not None and place(str(said["target"])) == end and said["cell"] == drop.origin
    return is_named and place(drop.target) != end


def tsunami_stack(drop: Drop, said: dict[str, Argument]) -> bool:
    other, end = drop.on(drop.target), pushed_to(drop)
    is_named = said["cell"] == drop.origin and said["target"] == drop.target
    is_own = other is not None and other.side == drop.piece.side
    return end == place(drop.target) and is_own and is_named


def not_ones_turn(drop: Drop, said: dict[str, Argument]) -> bool:
    """As in all games, but a pawn from beside the board has no cell."""
    if drop.source:
        return of_another_side(drop, said)
    return drop.piece.side != drop.turn


CLAIMS: Final[dict[str, Claim]] = {
    "row-limit": row_limit(own=True),
    "row-limit-other": row_limit(own=False),
    "own-pawn": own_pawn,
    "move-shape": move_shape,
    **{f"{kind}-shape": shape(kind) for kind in ("leap", "slant", "jump")},
    "leap-blocked": leap_blocked,
    "place-territory": place_territory,
    "place-occupied": place_occupied,
    "place-which": place_which,
    "hand-empty": hand_empty,
    "still-choosing": choosing,
    "swap-ability": swap_ability,
    "swap-adjacent": swap_adjacent,
    "swap-same": swap_same,
    "rotate-ability": never,
    "tsunami-edge": tsunami_edge,
    "tsunami-shape": tsunami_shape,
    "tsunami-stack": tsunami_stack,
    "battle-result": battle_result,
    "piece-unknown": never,
    "wrong-side": not_ones_turn,
}
