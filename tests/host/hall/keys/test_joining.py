# SPDX-License-Identifier: Apache-2.0
"""A table gets its key for a one-time code.

A code serves one table, expires after a time or after wrong attempts, and never passes the broker.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.hall.keys.codes import VALID_MS, Ended, Invitation
from companion.host.hall.keys.joining import TRIES, Admission, Applicant, JoinRefused, draw_code, read_code
from companion.host.hall.keys.keyring import HallKeys
from companion.host.text.error_translation import translate
from companion.model.errors import SettingsError


class Office:
    """A hall's admission with a manual clock."""

    def __init__(self, folder: Path) -> None:
        self.now_ms = 1000
        self.wall_ms = 1_700_000_000_000
        self.told = 0
        self.folder = folder / "keys"
        self.start()

    def start(self) -> None:
        """A new run of the hall, whose clock starts again."""
        self.now_ms = 1000
        self.keys = HallKeys(self.folder, "club")
        self.admission = Admission("club", self.keys, lambda: self.now_ms, self.tell, lambda: self.wall_ms)

    def wait(self, ms: int) -> None:
        self.now_ms += ms
        self.wall_ms += ms

    def tell(self) -> None:
        self.told += 1

    def invite(self, station: str = "red") -> Invitation:
        drawn = self.admission.draw(station)
        self.admission.invite(drawn)
        return drawn

    def join(self, code: str, station: str = "red") -> str | None:
        """The key that a table gets for *code*."""
        table = Applicant(code, "club", station)
        return table.receive(self.admission.answer(station, table.ask()))

    def is_unknown(self, code: str, station: str = "red") -> bool:
        """True if a table with *code* hears that it is unknown, which ends nothing."""
        table = Applicant(code, "club", station)
        assert table.receive(self.admission.answer(station, table.ask())) is None
        return table.is_unknown

    def ended(self, station: str = "red") -> Ended | None:
        (found,) = (each.ended for each in self.admission.invitations() if each.board == station)
        return found


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_table_with_the_code_gets_its_own_key_and_uses_up_the_code(office: Office) -> None:
    before = office.keys.key("red")
    code = office.invite().code
    assert office.join(code) == office.keys.key("red") != before
    assert office.ended() is Ended.JOINED
    with pytest.raises(JoinRefused, match="the code for the board red was used already"):
        office.join(code)


def test_a_refused_table_gets_the_reason_in_its_own_language(office: Office) -> None:
    code = office.invite().code
    office.join(code)
    with pytest.raises(JoinRefused) as refused:
        office.join(code)
    assert translate(refused.value, "de").startswith("Der Code für das Brett red wurde schon benutzt")


def test_a_refusal_ends_only_the_request_that_it_answers(office: Office) -> None:
    code = office.invite().code
    office.join(code)
    first, second = Applicant(code, "club", "red"), Applicant(code, "club", "red")
    refusal = office.admission.answer("red", first.ask())
    kind, asked, proof, reason = refusal.split(" ", 3)
    own, own_proof = second.ask().split()[1:]
    for forged in (
        f"{kind} {own} {proof} {reason}",  # an answer to another request
        f"{kind} {own} {own_proof} {reason}",  # a proof of another kind
        f"{kind} {own} {reason}",
        f'{kind} {own} "the hall is closed, go home"',
    ):
        assert second.receive(forged) is None
    assert first.receive(f'{kind} {asked} {proof} "the hall is closed, go home"') is None
    with pytest.raises(JoinRefused):
        first.receive(refusal)


def test_a_forged_hint_that_a_code_is_unknown_does_not_end_the_joining(office: Office) -> None:
    table = Applicant(office.invite().code, "club", "red")
    assert table.receive(f"unknown {table.ask().split()[1]} and the text of a stranger") is None
    assert table.is_unknown
    assert table.receive(office.admission.answer("red", table.ask())) == office.keys.key("red")


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
    for _ in range(TRIES):
        assert office.ended() is None
        assert office.is_unknown(draw_code("red"))
    assert office.ended() is Ended.TRIED
    with pytest.raises(JoinRefused, match="ended after five wrong tries"):
        office.join(code)
    assert office.is_unknown(draw_code("red"))
    assert office.join(office.invite().code), "a new code must work"


def test_a_wrong_request_that_is_repeated_counts_once(office: Office) -> None:
    code, wrong = office.invite().code, Applicant(draw_code("red"), "club", "red").ask()
    for _ in range(2 * TRIES):
        assert office.admission.answer("red", wrong).startswith("unknown ")
    office.start()
    assert office.admission.answer("red", wrong).startswith("unknown ")
    (invited,) = office.admission.invitations()
    assert len(invited.missed) == 1
    assert office.join(code)


def test_four_wrong_attempts_do_not_end_a_code(office: Office) -> None:
    code = office.invite().code
    for _ in range(TRIES - 1):
        assert office.is_unknown(draw_code("red"))
    assert office.join(code)


def test_a_code_expires_after_ten_minutes(office: Office) -> None:
    first, second = office.invite("red").code, office.invite("blue").code
    office.wait(VALID_MS - 1)
    assert office.join(first)
    office.wait(1)
    assert office.ended("blue") is Ended.EXPIRED
    with pytest.raises(JoinRefused, match="the code for the board blue ended after ten minutes"):
        office.join(second, "blue")
    office.wait(VALID_MS + 1)
    assert office.admission.invitations() == ()


def test_a_code_is_for_one_station_of_one_hall_until_a_newer_one_replaces_it(office: Office) -> None:
    first, second = office.invite().code, office.invite().code
    assert office.is_unknown(first)
    elsewhere = Applicant(second, "other", "red")
    assert elsewhere.receive(office.admission.answer("red", elsewhere.ask())) is None
    assert elsewhere.is_unknown
    with pytest.raises(SettingsError, match="is not a code for the board blue"):
        Applicant(second, "club", "blue")
    assert office.is_unknown(draw_code("blue"), "blue")
    assert office.join(second)


def test_a_revoked_key_is_not_given_again_and_ends_open_codes(office: Office) -> None:
    table = Applicant(office.invite("red").code, "club", "red")
    key = table.receive(office.admission.answer("red", table.ask()))
    code = office.invite("blue").code
    for station in ("red", "blue", "green"):
        office.admission.revoke(station)
    assert office.keys.key("red") != key
    with pytest.raises(JoinRefused):
        table.receive(office.admission.answer("red", table.ask()))
    with pytest.raises(JoinRefused, match="the arbiter has withdrawn the code for the board blue"):
        office.join(code, "blue")
    assert office.ended("blue") is Ended.WITHDRAWN


def test_each_change_is_reported_to_the_desk(office: Office) -> None:
    code = office.invite().code
    assert office.told == 1
    office.is_unknown(draw_code("red"))
    assert office.told == 2
    office.join(code)
    assert office.told == 3


def test_a_code_outlives_the_hall_until_its_ten_minutes_are_over(office: Office) -> None:
    code = office.invite().code
    for _ in range(2):
        office.wait(VALID_MS // 2 - 1)
        office.start()
        (shown,) = office.admission.invitations()
        assert (shown.code, shown.ended) == (code, None)
    assert shown.until_ms - office.now_ms == 2
    office.wait(2)
    office.start()
    assert office.ended() is Ended.EXPIRED
    with pytest.raises(JoinRefused, match="ended after ten minutes"):
        office.join(code)


@pytest.mark.parametrize("jump_ms", [-900_000, 900_000])
def test_a_jump_of_the_wall_clock_prolongs_no_code_beyond_ten_minutes(jump_ms: int, office: Office) -> None:
    code = office.invite().code
    office.wait(1000)
    office.wall_ms += jump_ms
    office.is_unknown(draw_code("red"))
    office.start()
    (shown,) = office.admission.invitations()
    assert shown.until_ms - office.now_ms == VALID_MS - 1000, "an end that is written after the jump is right"
    office.wall_ms += jump_ms
    office.start()
    if jump_ms < 0:
        office.wait(VALID_MS)
    with pytest.raises(JoinRefused, match="ended after ten minutes"):
        office.join(code)


def test_a_table_that_lost_the_answer_gets_it_from_the_next_run(office: Office) -> None:
    code = office.invite().code
    table = Applicant(code, "club", "red")
    first = office.admission.answer("red", table.ask())
    office.start()
    assert office.admission.answer("red", table.ask()) == first
    assert table.receive(first) == office.keys.key("red")
    with pytest.raises(JoinRefused, match="was used already"):
        office.join(code)
    assert code not in (office.folder / "codes-club.json").read_text()


def test_wrong_attempts_and_withdrawn_codes_outlive_the_hall(office: Office) -> None:
    code, withdrawn = office.invite().code, office.invite("blue").code
    office.admission.revoke("blue")
    for _ in range(TRIES):
        office.is_unknown(draw_code("red"))
        office.start()
    with pytest.raises(JoinRefused, match="five wrong tries"):
        office.join(code)
    with pytest.raises(JoinRefused, match="has withdrawn"):
        office.join(withdrawn, "blue")


@pytest.mark.parametrize(
    "text", ["", "{}", '[{"board": "red"}]', '[{"board": "red", "until_ms": 1, "code_key": "no"}]']
)
def test_a_damaged_file_of_codes_is_named(text: str, office: Office) -> None:
    office.invite()
    (office.folder / "codes-club.json").write_text(text)
    with pytest.raises(SettingsError, match=r"codes-club\.json is damaged: delete it, and give new codes"):
        office.start()


def test_what_cannot_be_written_is_not_acknowledged(office: Office) -> None:
    code = office.invite().code
    path = office.folder / "codes-club.json"
    path.unlink()
    path.mkdir()  # cannot be replaced by a file
    with pytest.raises(SettingsError, match="cannot be kept"):
        office.invite("blue")
    assert [each.board for each in office.admission.invitations()] == ["red"]
    assert office.admission.answer("red", Applicant(draw_code("red"), "club", "red").ask()) == ""
    with pytest.raises(JoinRefused, match="the hall cannot keep its keys"):
        office.join(code)
    path.rmdir()
    assert office.join(code) == office.keys.key("red")


APPLICANT = Applicant(draw_code("red"), "club", "red")


ANSWERS = st.sampled_from(("joined", "refused", "unknown"))


@given(st.text() | st.builds("{} {} {}".format, ANSWERS, st.just(APPLICANT.ask().split()[1]), st.text()))
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


def is_code(letters: str, station: str = "red") -> bool:
    try:
        read_code(letters, station)
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
def test_a_code_for_a_similar_station_is_detected_before_it_is_sent(other: str) -> None:
    for _ in range(100):
        assert not is_code(draw_code(other))


def read_check(drawn: str) -> str:
    """The one letter that makes *drawn* a code for the station red."""
    (found,) = (letter for letter in LETTERS if is_code(drawn + letter))
    return found
