# SPDX-License-Identifier: Apache-2.0
"""Unseen actions of a piece are inferred from its later ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import pytest

from companion.model.observation import EMPTY, OCCUPIED, Change, SensorKind
from companion.model.pieces import Piece
from companion.referee.budget import Budget
from companion.referee.retracing import retraced
from tests.referee.support import perform, record_after_answers, table


@pytest.mark.long
def test_two_plies_are_revised_together_if_only_both_allow_the_next_move() -> None:
    """The tank reaches E4 from F2 only if it came there facing west.

    So it must have faced south-east on G4.
    """
    fake = table(
        "tank-chess",
        "w HC1N MF1N CH1N MJ1N HM1N LC3N LF3N MH3N LJ3N LM3N"
        " lD14S lG14S mI14S lK14S lN14S hD16S mG16S cI16S mK16S hN16S",
    )
    perform(fake, "M3- 15 N3+ 129 G16- 24 G16+ 58 !1 217 H3- 45 I4+ 120 I16- 23 G13+ 168 A5+ 34 C3- 290")
    perform(fake, "I14- 15 I13+ 152 G4+ 5 F3- 170 K14- 155 K13+ 174 C3+ 26 A5- 136 K13- 182 L13+ 143")
    perform(fake, "G4- 28 F2+ 133 M12+ 38 N14- 130 F2- 25 E4+ 115 D16- 99 C15+ 3000")
    truth = "M3-N3S G16-G16N H3-I4N I16-G13SW C3-A5NE I14-I13NW F3-G4SE K14-K13NE"
    truth += " A5-C3E K13-L13NE G4-F2W N14-M12S F2-E4NW D16-C15W"
    assert record_after_answers(fake, truth) == truth.split()


def test_a_shot_stands_if_another_facing_explains_the_board() -> None:
    """The Command Tank reaches J10 only from facing west or north-west on J7.

    Meanwhile three more tanks have unknown facings.
    """
    fake = table(
        "tank-chess",
        "w HC1N LI1S HM1N MF2SW MI2SW MH3N LC5W LM6SE lF7S CK7NE lO7S lD12SW mG13W lM13NE cK15NE hO15SE"
        " hD16S mG16S mK16S LN3x",
        SensorKind.IDENTITY,
    )
    perform(fake, "K7- 38 J7+K7 102")
    fake.put("F7", Piece("light-tank", 1, None, "wreck"))
    perform(fake, "144 D12- 101 D11+D12 171 M1- 39 M1+M1")
    fake.wait(100)
    fake.turn_lever(0)
    perform(fake, "77 M13- 7 O13+M13 222 I1- 24 J1+I1 130 O7- 50 O7+O7 20 !1 140 J7- 135 J10+J7 3000")
    truth = "K7-J7NWxF7 D12-D11E! M1-M1SW M13-O13SE! I1-J1NE O7-O7E! J7-J10N"
    assert [move.rstrip("!") for move in record_after_answers(fake, truth)] == [
        move.rstrip("!") for move in truth.split()
    ]


def test_retracing_turns_in_place_indexes_no_more_moves_than_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Switches detect no turn.

    Each tank may have any facing, with other moves for each.
    """
    fake = table("tank-chess", "w HC1N MF1N CH1N LC3N lD14S lG14S cI16S hN16S")
    perform(fake, "!0 200 !1 200 !0 200 !1 200")
    belief = fake.session.belief
    for name, sighting in (("C3", EMPTY), ("N9", OCCUPIED)):
        belief = belief.sensed(Change(belief.now_ms + 200, fake.rules.grid.cell(name), sighting))
    counted = [0]
    for name in ("legal_moves", "moves_touching"):
        monkeypatch.setattr(type(fake.rules), name, _counting(getattr(type(fake.rules), name), counted))
    for _ in retraced(belief, (), Budget(5000)):
        pass
    assert 2500 < counted[0] < 3500  # the plies that are tried use up the budget


def _counting(find_moves: Callable[..., Iterable[Hashable]], counted: list[int]) -> Callable[..., object]:
    """*find_moves*, which also adds the number of its results to *counted*."""

    def found(*given: object) -> tuple[Hashable, ...]:
        moves = tuple(find_moves(*given))
        counted[0] += len(moves)
        return moves

    return found
