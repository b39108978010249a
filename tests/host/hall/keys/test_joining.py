# SPDX-License-Identifier: Apache-2.0
"""A table gets its key for a one-time code.

A code serves one table, expires after a time or after wrong attempts, and never passes the broker.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.hall.keys.joining import (
    TRIES,
    VALID_MS,
    Admission,
    Applicant,
    Ended,
    Invitation,
    JoinRefused,
    draw_code,
    read_code,
)
from companion.host.hall.keys.keyring import HallKeys
from companion.host.text.error_translation import translate
from companion.model.errors import SettingsError


class Office:
    """A hall's admission with a manual clock."""

    def __init__(self, folder: Path) -> None:
        self.now_ms = 1000
        self.told = 0
        self.keys = HallKeys(folder / "keys", "club")
        self.admission = Admission("club", self.keys, lambda: self.now_ms, self.tell)

    def tell(self) -> None:
        self.told += 1

    def invite(self, board: str = "red") -> Invitation:
        drawn = self.admission.draw(board)
        self.admission.invite(drawn)
        return drawn

    def join(self, code: str, board: str = "red") -> str | None:
        """The key that a table gets for *code*."""
        table = Applicant(code, "club", board)
        return table.receive(self.admission.answer(board, table.ask()))

    def ended(self, board: str = "red") -> Ended | None:
        (found,) = (each.ended for each in self.admission.invitations() if each.board == board)
        return found


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_table_with_the_code_gets_its_own_key_and_uses_up_the_code(office: Office) -> None:
    before = office.keys.key("red")
    code = office.invite().code
    assert office.join(code) == office.keys.key("red") != before
    assert office.ended() is Ended.JOINED
    with pytest.raises(JoinRefused, match="no code for the board red is open"):
        office.join(code)


def test_a_refused_table_gets_the_reason_in_its_own_language(office: Office) -> None:
    code = office.invite().code
    office.join(code)
    with pytest.raises(JoinRefused) as refused:
        office.join(code)
    assert translate(refused.value, "de").startswith("Für das Brett red gilt kein Code: er wurde benutzt")


def test_a_refusal_of_an_older_hall_is_shown_as_it_is() -> None:
    table = Applicant(draw_code("red"), "club", "red")
    with pytest.raises(JoinRefused, match=r"not today: \{why\}"):
        table.receive(f"refused {table.ask().split()[1]} not today: {{why}}")


def test_a_lost_answer_is_sent_again_and_stays_unreadable_for_others(office: Office) -> None:
    code = office.invite().code
    table, late = Applicant(code, "club", "red"), Applicant(code, "club", "red")
    first = office.admission.answer("red", table.ask())
    assert office.admission.answer("red", table.ask()) == first
    assert table.receive(first) == office.keys.key("red")
    assert late.receive(first) is None, "the code alone must not decrypt a recorded answer"
    with pytest.raises(JoinRefused):
        late.receive(office.admission.answer("red", late.ask()))
    joined, _, rest = first.partition(" ")
    assert late.receive(f"{joined} {late.ask().split()[1]} {rest.partition(' ')[2]}") is None
    assert office.keys.key("red") not in first
    assert code.replace("-", "") not in first + table.ask()


def test_five_wrong_attempts_end_a_code_for_everyone(office: Office) -> None:
    code = office.invite().code
    for left in reversed(range(TRIES)):
        with pytest.raises(JoinRefused, match=f"is not the code for the board red; .* wrong tries: {left}"):
            office.join(draw_code("red"))
    assert office.ended() is Ended.TRIED
    with pytest.raises(JoinRefused, match="no code for the board red is open"):
        office.join(code)
    assert office.join(office.invite().code), "a new code must work"


def test_four_wrong_attempts_do_not_end_a_code(office: Office) -> None:
    code = office.invite().code
    for _ in range(TRIES - 1):
        with pytest.raises(JoinRefused):
            office.join(draw_code("red"))
    assert office.join(code)


def test_a_code_expires_after_ten_minutes(office: Office) -> None:
    first, second = office.invite("red").code, office.invite("blue").code
    office.now_ms += VALID_MS - 1
    assert office.join(first)
    office.now_ms += 1
    assert office.ended("blue") is Ended.EXPIRED
    with pytest.raises(JoinRefused, match="no code for the board blue is open"):
        office.join(second, "blue")
    office.now_ms += VALID_MS + 1
    assert office.admission.invitations() == ()


def test_a_code_is_for_one_board_of_one_hall_until_a_newer_one_replaces_it(office: Office) -> None:
    first, second = office.invite().code, office.invite().code
    with pytest.raises(JoinRefused, match="is not the code"):
        office.join(first)
    elsewhere = Applicant(second, "other", "red")
    with pytest.raises(JoinRefused, match="is not the code"):
        elsewhere.receive(office.admission.answer("red", elsewhere.ask()))
    with pytest.raises(SettingsError, match="is not a code for the board blue"):
        Applicant(second, "club", "blue")
    with pytest.raises(JoinRefused, match="no code for the board blue is open"):
        office.join(draw_code("blue"), "blue")
    assert office.join(second)


def test_a_revoked_key_is_not_given_again_and_ends_open_codes(office: Office) -> None:
    table = Applicant(office.invite("red").code, "club", "red")
    key = table.receive(office.admission.answer("red", table.ask()))
    code = office.invite("blue").code
    for board in ("red", "blue", "green"):
        office.admission.revoke(board)
    assert office.keys.key("red") != key
    with pytest.raises(JoinRefused):
        table.receive(office.admission.answer("red", table.ask()))
    with pytest.raises(JoinRefused):
        office.join(code, "blue")
    assert office.ended("blue") is Ended.WITHDRAWN


def test_each_change_is_reported_to_the_desk(office: Office) -> None:
    code = office.invite().code
    assert office.told == 1
    with pytest.raises(JoinRefused):
        office.join(draw_code("red"))
    assert office.told == 2
    office.join(code)
    assert office.told == 3


APPLICANT = Applicant(draw_code("red"), "club", "red")


@given(st.text() | st.text().map(lambda text: f"joined {APPLICANT.ask().split()[1]} {text}"))
def test_an_invalid_answer_is_ignored(text: str) -> None:
    assert APPLICANT.receive(text) is None


@pytest.mark.parametrize(
    "text", ["join", "join  ", "join x y", "join 00 00", "join " + "00" * 200, "joined a b", "join a b c"]
)
def test_an_invalid_request_does_not_count_as_an_attempt(text: str, office: Office) -> None:
    code = office.invite().code
    for _ in range(TRIES):
        with pytest.raises(ValueError, match=r".+"):
            office.admission.answer("red", text)
    assert office.join(code)


def test_codes_have_eighty_random_bits_and_no_letters_that_look_alike() -> None:
    codes = {draw_code("red") for _ in range(200)}
    assert len(codes) == 200
    for code in codes:
        assert [len(part) for part in code.split("-")] == [4, 4, 4, 5]
        assert not set(code) & set("OILU")
    assert all(len({code.replace("-", "")[at] for code in codes}) > 20 for at in range(16))


LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def is_code(letters: str, board: str = "red") -> bool:
    try:
        read_code(letters, board)
    except SettingsError:
        return False
    return True


def test_a_code_may_be_typed_freely() -> None:
    code = "7K3M-Q2XW-9ATB-0118" + read_check("7K3MQ2XW9ATB0118")
    letters = code.replace("-", "")
    for typed in (
        code,
        code.lower(),
        f" {letters} ",
        code.replace("0", "O").replace("1", "l"),
        code.replace("-", " "),
    ):
        assert read_code(typed, "red") == letters
    for wrong in ("", "7K3M", code + "0", "ž" * 17):
        with pytest.raises(SettingsError, match="is not a code for the board red"):
            read_code(wrong, "red")


@pytest.mark.parametrize("drawn", ["7K3MQ2XW9ATB0118", "0000000000000000", "ZZZZZZZZZZZZZZZZ"])
def test_every_single_wrong_letter_and_every_swap_of_two_is_detected(drawn: str) -> None:
    letters = drawn + read_check(drawn)
    for at, right in enumerate(letters):
        for other in LETTERS.replace(right, ""):
            assert not is_code(letters[:at] + other + letters[at + 1 :])
        for with_ in range(at):
            swapped = list(letters)
            swapped[at], swapped[with_] = swapped[with_], swapped[at]
            assert is_code("".join(swapped)) == (letters[at] == letters[with_])


@pytest.mark.parametrize("other", ["blue", "rad", "rec", "erd"])
def test_a_code_for_a_similar_board_is_detected_before_it_is_sent(other: str) -> None:
    for _ in range(100):
        assert not is_code(draw_code(other))


def read_check(drawn: str) -> str:
    """The one letter that makes *drawn* a code for the board red."""
    (found,) = (letter for letter in LETTERS if is_code(drawn + letter))
    return found
