// SPDX-License-Identifier: Apache-2.0
// The boards at the desk: view, status, and the arbiter's commands.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { clockTexts, seatedAt, sentence } from "./shared.js";

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
    if (!given) return;
    const byMs = Math.round(1000 * Number(given.seconds));
    order(board.board, { is: "AdjustClock", side: Number(given.side), by_ms: byMs }, given.note);
  }

  // The record is shown and edited as text; its unchanged beginning is kept.
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
    const options = sides(board);
    const next = ((board.glance.turn ?? 0) + 1) % Math.max(2, options.length);
    const given = await ask(say, `${board.name}: ${say("let_stand")}`, sentence(board.glance, "fault", language), [
      { key: "turn", label: say("who_moves"), type: "select", options, value: next },
      note(),
    ]);
    if (given) order(board.board, { is: "LetStand", turn: Number(given.turn) }, given.note);
  }

  // Buttons stay while their meaning does, so that none is replaced while it is pressed.
  function orders({ glance = {}, is_silent: isSilent }) {
    const { phase, clocks = [], awaits_clock: awaitsClock } = glance;
    return [
      phase === "paused" ? "resume" : "pause",
      ...(awaitsClock ? ["start_clock"] : []),
      ...(clocks.length ? ["adjust_time"] : []),
      ...(phase && phase !== "finished" ? ["let_stand"] : []),
      "take_back", "correct_record", "restore_position", "new_game",
      ...(isSilent ? ["dismiss"] : []),
    ];
  }

  const doing = {
    resume: (board) => order(board.board, { is: "Release" }),
    pause: (board) => order(board.board, { is: "Hold" }),
    start_clock: (board) => order(board.board, { is: "Release", starts_clock: true }),
    adjust_time: adjust,
    let_stand: letStand,
    take_back: (board) => confirmed(board, say("take_back"), say("warn_take_back"), { is: "TakeBack" }),
    correct_record: correct,
    restore_position: restore,
    dismiss: (board) => call("api/tables/dismiss", { board: board.board }),
    new_game: (board) => confirmed(board, say("new_game"), say("warn_new_game"), { is: "NewGame" }),
  };

  function makeCard(name) {
    let board = null;
    let seated = null;
    const title = el("h3");
    const text = el("p");
    const clocks = el("p", { class: "clocks" });
    const health = el("small");
    const buttons = el("p", { class: "orders", role: "group" });
    const put = (place, said) => {
      if (place.textContent !== said) place.textContent = said;
    };
    return {
      element: el("section", { id: `board-${name}`, tabindex: "-1" },
        title, text, clocks, el("p", {}, health), buttons),
      tick() {
        clockTexts(board).forEach((shown, side) => {
          put(clocks.children[side], `${looks[board.set]?.sides[side] ?? side + 1} ${shown}`);
          clocks.children[side].className = board.glance.clocks[side].is_running ? "running" : "";
        });
      },
      draw(shown) {
        const names = seatedAt(newest().tournaments, name);
        if (board === shown && seated === names) return;
        board = shown;
        seated = names;
        const glance = board.glance ?? {};
        const says = ["fault", "question", "result"].map((kind) => sentence(glance, kind, language));
        const phase = board.is_silent ? say("silent") : glance.phase ? say(`phase_${glance.phase}`) : "";
        put(title, [board.name, names, phase].filter(Boolean).join(" · "));
        const cries = sentence(glance, "cries", language) || [];
        const trouble = board.troubles[language] ?? board.trouble;
        put(text, [glance.move, ...cries, ...says, trouble].filter(Boolean).join(" · "));
        put(health, [
          board.owed > 65536 ? say("owed", { bytes: board.owed }) : "",
          board.clock_error_ms ? say("clock_offset", { error: board.clock_error_ms, drift: board.clock_drift_ms }) : "",
        ].filter(Boolean).join(" · "));
        const sideCount = glance.clocks?.length ?? 0;
        if (clocks.children.length !== sideCount) {
          clocks.replaceChildren(...Array.from({ length: sideCount }, () => el("span")));
        }
        this.tick();
        const keys = orders(board);
        if (buttons.dataset.keys === keys.join()) return;
        buttons.dataset.keys = keys.join();
        buttons.setAttribute("aria-label", `${say("orders")} ${board.name}`);
        const focused = buttons.contains(document.activeElement) ? document.activeElement.dataset.name : null;
        buttons.replaceChildren(...keys.map((key) => act(name, key, () => doing[key](board))));
        if (focused) (buttons.querySelector(`[data-name="${CSS.escape(focused)}"]`) ?? buttons.firstChild).focus();
      },
    };
  }

  async function toAll(key, command) {
    const count = newest().boards.filter((board) => !board.is_silent).length;
    const given = await ask(say, say(key), say("concerns", { count }), [note()]);
    if (given) call("api/orders/all", { command, note: given.note }, say("send"));
  }

  const all = () => el("p", { class: "orders", role: "group", "aria-label": say("all_boards") },
    act("all", "pause_all", () => toAll("pause_all", { is: "Hold" })),
    act("all", "start_all", () => toAll("start_all", { is: "Release", starts_clock: true })));

  const cards = new Map();
  setInterval(() => cards.forEach((card) => card.tick()), 250);

  return (place, boards) => {
    if (!place.firstChild) place.append(all(), el("p", { id: "no_boards" }, say("no_boards")));
    place.querySelector("#no_boards").hidden = boards.length > 0;
    const here = new Set(boards.map((board) => board.board));
    for (const name of [...cards.keys()].filter((each) => !here.has(each))) {
      cards.get(name).element.remove();
      cards.delete(name);
    }
    for (const board of boards) {
      if (!cards.has(board.board)) cards.set(board.board, makeCard(board.board));
      const card = cards.get(board.board);
      if (card.element.parentNode !== place) place.append(card.element);
      card.draw(board);
    }
  };
}
