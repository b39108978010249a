// SPDX-License-Identifier: Apache-2.0
// The board that is open at the desk: view, status, result, and the arbiter's commands.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { isClockOff, tablesByBoard } from "./desk_states.js";
import { clockTexts, seatedAt, sentence, smallBoard } from "./shared.js";

export function makeBoards({ say, language, call, read, act, looks, newest, open, events, photographs }) {
  const note = () => ({ key: "note", label: say("note") });
  // It is for the game as *board* shows it: the table refuses it if there was play since.
  const order = ({ board, journal, glance }, command, remark = "") =>
    call("api/orders", { board, command, note: remark, journal, ply: glance?.ply ?? null }, say("send"));

  async function confirmed(board, title, text, command) {
    const given = await ask(say, `${board.name}: ${title}`, text, [note()]);
    if (given) order(board, command, given.note);
  }

  function sides(board) {
    const names = looks[board.set]?.sides ?? board.glance.clocks.map((_, side) => String(side + 1));
    return names.map((label, value) => ({ value, label }));
  }

  async function adjust(board) {
    const given = await ask(say, `${board.name}: ${say("adjust_time_title")}`, "", [
      { key: "side", label: say("side"), type: "select", options: sides(board), value: board.glance.turn },
      { key: "seconds", label: say("seconds"), type: "number", value: "60", required: true },
      note(),
    ]);
    if (!given) return;
    const byMs = Math.round(1000 * Number(given.seconds));
    order(board, { is: "AdjustClock", side: Number(given.side), by_ms: byMs }, given.note);
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
    order(board, { is: "Correct", ply, moves: moves.slice(ply) }, given.note);
  }

  async function restore(board) {
    const game = await read(`api/desk/boards/${board.board}`);
    if (!game) return;
    const given = await ask(say, `${board.name}: ${say("restore_position_title")}`, say("restore_hint"), [
      { key: "position", label: say("position"), rows: 3, value: game.position, required: true },
      note(),
    ]);
    if (given) order(board, { is: "Restore", position: given.position.trim() }, given.note);
  }

  async function letStand(board) {
    const options = sides(board);
    const next = ((board.glance.turn ?? 0) + 1) % Math.max(2, options.length);
    const given = await ask(say, `${board.name}: ${say("let_stand")}`, sentence(board.glance, "fault", language), [
      { key: "turn", label: say("who_moves"), type: "select", options, value: next },
      note(),
    ]);
    if (given) order(board, { is: "LetStand", turn: Number(given.turn) }, given.note);
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
    resume: (board) => order(board, { is: "Release" }),
    pause: (board) => order(board, { is: "Hold" }),
    start_clock: (board) => order(board, { is: "Release", starts_clock: true }),
    adjust_time: adjust,
    let_stand: letStand,
    take_back: (board) => confirmed(board, say("take_back"), say("warn_take_back"), { is: "TakeBack" }),
    correct_record: correct,
    restore_position: restore,
    dismiss: (board) => call("api/tables/dismiss", { board: board.board }),
    new_game: (board) => confirmed(board, say("new_game"), say("warn_new_game"), { is: "NewGame" }),
  };

  // Whether a clock is so inaccurate, or so little time is left, that it matters.
  function health(board) {
    const { clock_error_ms: error, clock_drift_ms: drift, owed } = board;
    return [
      owed > 65536 ? say("owed", { bytes: owed }) : "",
      isClockOff(board) ? say("clock_offset", { error, drift }) : "",
    ].filter(Boolean).join(" · ");
  }

  function makeCard(name) {
    let board = null;
    let place = null;
    const title = el("h3");
    const text = el("p");
    const clocks = el("p", { class: "clocks" });
    const about = el("small");
    const buttons = el("p", { class: "orders", role: "group" });
    const result = el("p", { class: "orders", role: "group", "aria-label": say("result") });
    const small = smallBoard(looks);
    const shut = { type: "button", class: "act close", "aria-label": say("close"), onclick: () => open(null) };
    const close = el("button", shut, "×");
    const put = (where, said) => {
      if (where.textContent !== said) where.textContent = said;
    };
    return {
      name,
      element: el("section", { id: `board-${name}`, tabindex: "-1" },
        close, title, text, clocks, small.element, result, buttons, el("p", {}, about)),
      tick() {
        clockTexts(board).forEach((shown, side) => {
          put(clocks.children[side], `${looks[board.set]?.sides[side] ?? side + 1} ${shown}`);
          clocks.children[side].className = board.glance.clocks[side].is_running ? "running" : "";
        });
      },
      draw(shown) {
        const here = tablesByBoard(newest().tournaments).get(name);
        if (board === shown && place?.table === here?.table) return;
        board = shown;
        if (place?.table !== here?.table) {
          result.replaceChildren(...(here ? [...events.resultActs(here), photographs.field(here)] : []));
        }
        place = here;
        const names = seatedAt(newest().tournaments, name);
        const glance = board.glance ?? {};
        const says = ["fault", "question", "result"].map((kind) => sentence(glance, kind, language));
        const phase = board.is_silent ? say("silent") : glance.phase ? say(`phase_${glance.phase}`) : "";
        put(title, [board.name, names, phase].filter(Boolean).join(" · "));
        const cries = sentence(glance, "cries", language) || [];
        const trouble = board.troubles[language] ?? board.trouble;
        put(text, [glance.move, ...cries, ...says, trouble].filter(Boolean).join(" · "));
        put(about, health(board));
        small.draw(board.set, board.glance);
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

  let card = null;
  setInterval(() => card?.tick(), 250);

  return {
    // Removes all boards that left and at which no table of a round plays; nothing without one.
    removeLeft() {
      const tables = tablesByBoard(newest().tournaments);
      const gone = newest().boards.filter((one) => one.is_silent && !tables.get(one.board)?.table.is_on);
      const remove = () => gone.forEach((one) => call("api/tables/dismiss", { board: one.board }));
      return gone.length ? act("all", "dismiss_all", remove) : null;
    },
    // Does what the button *key* of the open board does, if it has one.
    press(board, key) {
      if (orders(board).includes(key)) doing[key](board);
    },
    // Shows *board* in *place*; nothing without one.
    draw(place, board) {
      if (!board) card = null;
      else if (card?.name !== board.board) card = makeCard(board.board);
      if (place.firstChild !== (card?.element ?? null)) place.replaceChildren(...(card ? [card.element] : []));
      card?.draw(board);
    },
  };
}
