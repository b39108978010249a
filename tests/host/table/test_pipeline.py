# SPDX-License-Identifier: Apache-2.0
"""The pipeline from switches to lamps, text and journal, in virtual time."""

from __future__ import annotations

import pytest

from companion.feedback import lights
from companion.feedback.wordfiles import languages, read_common
from companion.feedback.words import load
from companion.host.journal.journal import Entry
from companion.host.play.rig import Rig
from companion.host.table.link_status import COMPLAINTS, LinkState, complaints_of
from companion.link.framing import Decoder, Packet, encode_packet
from companion.link.panel import load_panel
from companion.link.protocol_gen import Health, Heartbeat, LedFill, LedSet, Log, LogLevel
from companion.model.errors import ForeignFirmware, PanelMismatch
from companion.referee.values.commands import Pause, Resign
from companion.referee.values.events import (
    GameBegan,
    GameEnded,
    IllegalMended,
    IllegalSeen,
    Level,
    MoveMade,
    Stage,
)
from companion.referee.values.view import Phase
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet
from tests.host.tables import WHOLE_GAME, Kept, carry, panel_under, pipeline_for, play, rig_for


def announced(entries: list[Entry]) -> list[str]:
    return [entry.move for entry in entries if isinstance(entry, MoveMade) and entry.stage is Stage.ANNOUNCED]


def stages(rig: Rig) -> list[Stage]:
    return [move.stage for move in rig.pipeline.view.record]


def state(rig: Rig) -> LinkState:
    return rig.pipeline.status.state


def complain(rig: Rig, health: Health) -> None:
    """The panel's next heartbeat reports its *health*."""
    device = rig.panel.device
    beat = Heartbeat(1000, device.session, device.inputs.newest, device.inputs.state_crc(), health)
    rig.pipeline.receive(encode_packet(Packet(Heartbeat.TYPE, 0, beat.encode())), rig.now_ms)


def test_a_game_begins_when_the_pieces_are_set_up() -> None:
    kept = Kept()
    rig = rig_for(kept)
    assert Phase.WAITING is rig.pipeline.view.phase
    assert [entry for entry in kept.entries if isinstance(entry, GameBegan)]
    assert rig.pipeline.status.state is LinkState.CONNECTED


def test_a_lifted_piece_lights_its_targets_on_the_panel_within_the_debounce() -> None:
    rig = rig_for(Kept())
    rig.become(rig.pieces.lift(0))
    rig.advance(6)
    target = lights.index_of(lights.Meaning.TARGET)
    grid = rig.pipeline.session.rules.grid
    lit = {
        grid.name(cell) for cell, colour in enumerate(rig.panel.device.lamps.image[:32]) if colour == target
    }
    assert {"a2", "a3", "b1", "c1", "b2", "c3"} == lit
    assert rig.panel.lines[0] == "Sword to move"


def test_lamps_do_not_wait_for_the_reason_why_a_lifted_piece_cannot_move() -> None:
    rig = rig_for(Kept())
    pipeline, stuck = rig.pipeline, 28
    rig.become(rig.pieces.lift(stuck))
    while not (told := rig.panel.bytes_to_send(rig.now_ms)):
        rig.now_ms += 1
    pipeline.receive(told, rig.now_ms)
    lamps = pipeline.bytes_to_send(rig.now_ms)
    rig.panel.feed(lamps, rig.now_ms)
    sent = [each.type for each in Decoder().feed(lamps) if isinstance(each, Packet)]
    assert sent
    assert {*sent} <= {LedFill.TYPE, LedSet.TYPE}
    assert pipeline.session.lacks_reason
    assert pipeline.view.lifted == (stuck,)
    assert pipeline.view.immobile is None
    rig.panel.feed(pipeline.bytes_to_send(rig.now_ms), rig.now_ms)
    assert not pipeline.session.lacks_reason
    assert pipeline.view.immobile is not None
    rig.advance(50)
    assert rig.panel.lines[1].strip() == pipeline.words.short(pipeline.view.immobile)


def test_a_whole_game_reaches_its_result_on_every_device() -> None:
    kept = Kept()
    rig = rig_for(kept)
    play(rig, WHOLE_GAME)
    assert announced(kept.entries) == ["a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#"]
    assert isinstance([e for e in kept.entries if isinstance(e, MoveMade | GameEnded)][-1], GameEnded)
    assert rig.panel.lines == ("Weapons win", "Sword eliminated")
    winner = {lights.index_of(lights.Meaning.WINNER)}
    assert winner & set(rig.panel.device.lamps.image)


def test_an_illegal_move_is_explained_and_the_way_back_resolves_it() -> None:
    kept = Kept()
    rig = rig_for(kept)
    play(rig, "a1-b2 a8-a5")
    assert rig.pipeline.view.fault is not None
    assert rig.panel.lines == ("Diagonal only", "Axe a5 > a8")
    levels = [entry.level for entry in kept.entries if isinstance(entry, IllegalSeen)]
    assert levels == [Level.HINT, Level.COMPLETED]
    carry(rig, "a5 a8")
    assert rig.pipeline.view.fault is None
    assert [entry for entry in kept.entries if isinstance(entry, IllegalMended)]
    play(rig, "d8-b8")
    assert announced(kept.entries) == ["a1-b2", "d8-b8!"]


def test_check_is_announced_with_a_tone() -> None:
    rig = rig_for(Kept())
    play(rig, "a1-b2 d8-b8")
    assert rig.panel.lines[0].startswith("CHECK!")
    assert len(rig.panel.device.tones[-1][1]) > 1


def test_nothing_is_announced_before_the_journal_is_safe() -> None:
    """While the disk is slow, lamps and text show the last synced state."""
    kept = Kept()
    rig = rig_for(kept)
    pipeline = rig.pipeline
    rig.become(rig.pieces.lift(0))
    rig.advance(300)
    rig.become(rig.pieces.drop(9 - 4))
    tones_before = len(rig.panel.device.tones)
    for _ in range(2000):
        rig.now_ms += 1
        pipeline.tick(rig.now_ms)
        if pipeline.is_unsafe:
            break
        rig.exchange()
    assert pipeline.is_unsafe
    assert announced(kept.entries)
    assert stages(rig) == [Stage.PROVISIONAL]
    assert tones_before == len(rig.panel.device.tones)
    rig.exchange()
    assert len(kept.entries) == kept.safe
    assert stages(rig) == [Stage.ANNOUNCED]
    assert tones_before < len(rig.panel.device.tones)


def test_an_answer_shows_at_once_and_moves_are_announced_when_the_disk_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = Kept()
    rig = rig_for(kept)
    pipeline, tunes = rig.pipeline, len(rig.panel.device.tones)
    waited: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "made_safe", waited.append)
        play(rig, "a1-b2")
        first = waited[-1]
        assert announced(kept.entries) == ["a1-b2"]
        assert stages(rig) == [Stage.PROVISIONAL]
        rig.become(rig.pieces.lift(28 + 3))
        rig.advance(20)
        assert pipeline.view.targets
        rig.become(rig.pieces.drop(28 + 1))
        rig.advance(20)
        assert stages(rig) == [Stage.PROVISIONAL] * 2
        rig.advance(1500)
        assert announced(kept.entries) == ["a1-b2", "d8-b8!"]
        assert stages(rig) == [Stage.PROVISIONAL] * 2
        second = waited[-1]
    pipeline.made_safe(first)
    assert pipeline.is_unsafe
    assert stages(rig) == [Stage.ANNOUNCED, Stage.PROVISIONAL]
    assert not pipeline.view.announcements
    assert tunes == len(rig.panel.device.tones)
    pipeline.made_safe(second)
    assert not pipeline.is_unsafe
    assert stages(rig) == [Stage.SETTLED, Stage.ANNOUNCED]
    assert pipeline.view.announcements
    rig.exchange()
    assert tunes < len(rig.panel.device.tones)


def test_what_ends_the_game_is_not_shown_before_it_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    rig = rig_for(kept)
    with monkeypatch.context() as patch:
        patch.setattr(rig.pipeline, "made_safe", lambda _unpublished: None)
        play(rig, WHOLE_GAME)
        assert any(isinstance(entry, GameEnded) for entry in kept.entries)
        assert rig.pipeline.view.outcome is None
        assert set(stages(rig)) == {Stage.PROVISIONAL}
    rig.exchange()
    assert rig.pipeline.view.outcome is not None


def test_hints_and_targets_do_not_wait_for_the_disk() -> None:
    kept = Kept()
    rig = rig_for(kept)
    safe_before = kept.safe
    rig.become(rig.pieces.lift(0))
    rig.advance(6)
    assert rig.pipeline.view.targets
    assert safe_before == kept.safe


def test_a_panel_restarted_during_a_game_is_repainted_and_play_continues() -> None:
    kept = Kept()
    rig = rig_for(kept)
    play(rig, "a1-b2 d8-b8")
    shown = tuple(rig.panel.device.lamps.image), rig.panel.lines
    rig.panel.reset(rig.now_ms)
    rig.advance(100)
    assert rig.pipeline.status.state is LinkState.CONNECTED
    assert shown == (tuple(rig.panel.device.lamps.image), rig.panel.lines)
    play(rig, "b2-c3")
    assert announced(kept.entries) == ["a1-b2", "d8-b8!", "b2-c3"]


def test_a_lost_connection_is_noticed_and_moves_made_meanwhile_are_recognised() -> None:
    kept = Kept()
    rig = rig_for(kept)
    rig.panel.is_mute = True
    rig.advance(5000)
    assert state(rig) == LinkState.LOST
    rig.become(rig.pieces.lift(0).drop(5))
    rig.advance(500)
    rig.panel.is_mute = False
    rig.advance(5000)
    assert state(rig) == LinkState.CONNECTED
    assert announced(kept.entries) == ["a1-b2"]


def test_a_panel_with_other_cells_is_refused_and_its_switches_are_ignored() -> None:
    kept = Kept()
    pipeline = pipeline_for(kept)
    panel = VirtualPanel(load_panel("wedges-6"), unique_id=b"testtest", session=1, now_ms=0)
    rig = Rig(pipeline, panel, PieceSet(pipeline.view.placement), 0, kept.sync)
    rig.advance(500)
    assert pipeline.status.state is LinkState.REFUSED
    assert isinstance(pipeline.panel.objection, PanelMismatch)
    assert (pipeline.panel.objection.expected, pipeline.panel.objection.found) == (
        32,
        panel.device.panel.cells,
    )
    assert "a game that fits this one: Martian Chess (-o players=6)" in pipeline.status.text
    complain(rig, Health.CHATTER)
    assert pipeline.status.state is LinkState.REFUSED
    assert not [entry for entry in kept.entries if isinstance(entry, GameBegan)]
    rig = Rig(pipeline, panel_under(pipeline, rig.now_ms), rig.pieces, rig.now_ms, kept.sync)
    rig.advance(500)
    assert state(rig) is LinkState.CONNECTED
    assert rig.pipeline.panel.objection is None
    assert [entry for entry in kept.entries if isinstance(entry, GameBegan)]


def test_a_panel_with_foreign_firmware_is_refused_with_the_command_that_fixes_it() -> None:
    kept = Kept()
    pipeline = pipeline_for(kept)
    panel = panel_under(pipeline)
    panel.device.fingerprint ^= 1
    rig = Rig(pipeline, panel, PieceSet(pipeline.view.placement), 0, kept.sync)
    rig.advance(500)
    assert isinstance(pipeline.panel.objection, ForeignFirmware)
    assert "flash the program" in pipeline.status.text
    assert "4x8" in pipeline.status.text


def test_a_command_is_kept_before_its_events_and_shown_when_they_are_synced() -> None:
    kept = Kept()
    rig = rig_for(kept)
    rig.pipeline.command(Pause(), rig.now_ms)
    assert rig.pipeline.is_unsafe
    assert rig.pipeline.view.phase == "waiting"
    rig.exchange()
    assert len(kept.entries) == kept.safe
    assert rig.pipeline.view.phase == "paused"
    rig.pipeline.command(Resign(0), rig.now_ms)
    rig.exchange()
    assert [type(entry).__name__ for entry in kept.entries[-2:]] == ["CommandEntry", "GameEnded"]
    assert rig.panel.lines == ("Weapons win", "by resignation")


def test_problems_of_the_panel_are_shown_until_they_end() -> None:
    """Also after each reopening of the port with an unchanged report."""
    rig = rig_for(Kept())
    chatter = Health.CHATTER | Health.DARK, ("chatter",)
    for health, told in (chatter, chatter, (Health(0), ())):
        rig.pipeline.reopen(rig.now_ms)
        rig.advance(100)
        complain(rig, health)
        assert told == rig.pipeline.status.complaints
        assert state(rig) == LinkState.CONNECTED


def test_log_messages_of_the_panel_are_shown_until_it_restarts() -> None:
    rig = rig_for(Kept())
    log = Log(LogLevel.WARNING, "a column is shorted")
    rig.pipeline.receive(encode_packet(Packet(Log.TYPE, 0, log.encode())), rig.now_ms)
    assert rig.pipeline.warnings(rig.pipeline.words) == ("the panel reports: a column is shorted",)
    german = load("de", "close-quarters", rig.pipeline.words.sides)
    (said,) = rig.pipeline.warnings(german)
    assert said.startswith("Das Sensorbrett meldet: eine Spalte")
    rig.pipeline.receive(encode_packet(Packet(Log.TYPE, 0, Log(LogLevel.INFO, "well").encode())), rig.now_ms)
    assert len(rig.pipeline.warnings(german)) == 1
    rig.pipeline.reopen(rig.now_ms)
    rig.advance(100)
    assert rig.pipeline.warnings(german) == ()


def test_a_panel_that_never_answered_is_not_reported_lost() -> None:
    kept = Kept()
    never = pipeline_for(kept)
    never.lose("there is no port", 0)
    assert never.status.state is LinkState.SILENT
    rig = rig_for(kept)
    rig.pipeline.lose("it is gone", rig.now_ms)
    assert rig.pipeline.status.state is LinkState.LOST


def test_a_tune_is_played_by_other_speakers_too_and_counted() -> None:
    rig = rig_for(Kept())
    begun = rig.pipeline.tune
    carry(rig, "a1 b2")
    assert [tone.pitch_hz for tone in begun.tones] == [523, 784]
    assert [tone.pitch_hz for tone in rig.pipeline.tune.tones] == [1047]
    assert (begun.number, rig.pipeline.tune.number) == (1, 2)


def test_the_tune_of_an_illegal_move_sounds_once_although_the_hint_becomes_an_arbiters_matter() -> None:
    kept = Kept()
    rig = rig_for(kept)
    play(rig, "a1-b2")
    before = rig.pipeline.tune.number
    carry(rig, "a8 a5", rest_ms=5000)
    levels = [entry.level for entry in kept.entries if isinstance(entry, IllegalSeen)]
    assert levels == [Level.HINT, Level.COMPLETED]
    assert rig.pipeline.tune.number == before + 1
    carry(rig, "a5 a8")
    carry(rig, "a8 a5", rest_ms=5000)
    assert rig.pipeline.tune.number == before + 3  # corrected, and illegal again


def test_every_problem_of_a_panel_has_words_in_every_language() -> None:
    for language in languages():
        assert set(read_common(language).health) == {*complaints_of(COMPLAINTS), "unkept", "program-error"}
