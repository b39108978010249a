// SPDX-License-Identifier: Apache-2.0
// The boards at the desk: what each shows, how it is, and what an arbiter can do there.

import { ask } from "./dialog.js";
import { clockTexts, el, sentence } from "./shared.js";

export function makeBoards({ say, language, call, read, act, looks, newest }) {
  const note = () => ({ key: "note", label: say("note") });
  const order = (board, command, remark = "") => call("api/orders", { board, command, note: remark }, say("send"));

  async function confirmed(board, title, text, command) {
    const given = await ask(say, `${board.name}: ${title}`, text, [note()]);
    if (given) order(board.board, command, given.note);
  }

  function sides(board) {
    const names = looks[board.set]?.sides ?? board.glance.clocks.map((_, side) => String(side + 1));
    return names.map((label, value) => ({ value, label }));
  }

  async function adjust(board) {
    const given = await ask(say, `${board.name}: ${say("adjust_time_title")}`, "", [
      { key: "side", label: say("side"), type: "select", options: sides(board) },
      { key: "seconds", label: say("seconds"), type: "number", value: "60", required: true },
      note(),
    ]);
    if (given) order(board.board, { is: "AdjustClock", side: Number(given.side), by_ms: Math.round(1000 * Number(given.seconds)) }, given.note);
  }

  // The record is shown as it is and edited as text: what is the same at its beginning stays.
  async function correct(board) {
    const game = await read(`api/desk/boards/${board.board}`);
    if (!game) return;
    const given = await ask(say, `${board.name}: ${say("correct_record_title")}`, say("correct_hint"), [
      { key: "moves", label: say("moves"), rows: 6, value: game.moves.map((move) => move || "–").join(" ") },
      note(),
    ]);
    if (!given) return;
    const moves = given.moves.split(/\s+/).filter(Boolean).map((move) => (move === "–" ? "" : move));
    let ply = 0;
    while (ply < moves.length && moves[ply] === game.moves[ply]) ply += 1;
    order(board.board, { is: "Correct", ply, moves: moves.slice(ply) }, given.note);
  }

  async function restore(board) {
    const game = await read(`api/desk/boards/${board.board}`);
    if (!game) return;
    const given = await ask(say, `${board.name}: ${say("restore_position_title")}`, say("restore_hint"), [
      { key: "position", label: say("position"), rows: 3, value: game.position, required: true },
      note(),
    ]);
    if (given) order(board.board, { is: "Restore", position: given.position.trim() }, given.note);
  }

  async function letStand(board) {
    const turn = board.glance.turn ?? 0;
    const given = await ask(say, `${board.name}: ${say("let_stand")}`, sentence(board.glance, "fault", language), [
      { key: "turn", label: say("who_moves"), type: "select", options: sides(board), value: (turn + 1) % Math.max(2, sides(board).length) },
      note(),
    ]);
    if (given) order(board.board, { is: "LetStand", turn: Number(given.turn) }, given.note);
  }

  function orders(board) {
    const { phase, clocks = [], is_completed: isCompleted } = board.glance ?? {};
    const button = (key, onclick) => act(board.board, key, onclick);
    return el("p", { class: "orders", role: "group", "aria-label": `${say("orders")} ${board.name}` },
      phase === "paused" ? button("resume", () => order(board.board, { is: "Resume" })) : button("pause", () => order(board.board, { is: "Hold" })),
      clocks.length ? button("adjust_time", () => adjust(board)) : null,
      isCompleted ? button("let_stand", () => letStand(board)) : null,
      button("take_back", () => confirmed(board, say("take_back"), say("warn_take_back"), { is: "TakeBack" })),
      button("correct_record", () => correct(board)),
      button("restore_position", () => restore(board)),
      button("new_game", () => confirmed(board, say("new_game"), say("warn_new_game"), { is: "NewGame" })),
    );
  }

  function draw(board) {
    const glance = board.glance ?? {};
    const says = ["fault", "question", "result"].map((kind) => sentence(glance, kind, language));
    const health = [
      board.owed > 65536 ? say("owed", { bytes: board.owed }) : "",
      board.clock_error_ms ? say("clock_offset", { error: board.clock_error_ms, drift: board.clock_drift_ms }) : "",
    ].filter(Boolean).join(" · ");
    return el("section", { id: `board-${board.board}`, tabindex: "-1" },
      el("h3", {}, `${board.name} · ${board.is_silent ? say("silent") : glance.phase ? say(`phase_${glance.phase}`) : ""}`),
      el("p", {}, [glance.move, ...(sentence(glance, "cries", language) || []), ...says, board.troubles[language] ?? board.trouble].filter(Boolean).join(" · ")),
      glance.clocks?.length ? el("p", { class: "clocks" }, ...glance.clocks.map((each, side) =>
        el("span", { class: each.is_running ? "running" : null }, `${looks[board.set]?.sides[side] ?? side + 1} `, el("span", {}, clockTexts(board)[side])))) : null,
      health ? el("p", {}, el("small", {}, health)) : null,
      orders(board),
    );
  }

  async function toAll(key, command) {
    const count = newest().boards.filter((board) => !board.is_silent).length;
    const given = await ask(say, say(key), say("concerns", { count }), [note()]);
    if (given) call("api/orders/all", { command, note: given.note }, say("send"));
  }

  const all = () => el("p", { class: "orders", role: "group", "aria-label": say("all_boards") },
    act("all", "pause_all", () => toAll("pause_all", { is: "Hold" })),
    act("all", "start_all", () => toAll("start_all", { is: "Resume" })));

  setInterval(() => newest()?.boards.forEach((board) => {
    const places = document.querySelectorAll(`#board-${CSS.escape(board.board)} .clocks > span > span`);
    clockTexts(board).forEach((shown, side) => {
      if (places[side] && places[side].textContent !== shown) places[side].textContent = shown;
    });
  }), 250);

  return (boards) => [boards.length ? all() : el("p", {}, say("no_boards")), ...boards.map(draw)];
}
