// SPDX-License-Identifier: Apache-2.0
// Orders for many boards at once: pause, and the start of the clocks, before which the tables are checked.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { isClockOff, readiness } from "./desk_states.js";

const START = { is: "Release", starts_clock: true };

// *of* is the tournament whose round is concerned; without one, all boards are.
export function makeTogether({ say, call, newest }) {
  const note = () => ({ key: "note", label: say("note") });
  const title = (key, of) => (of ? `${of.name}: ${say(key)}` : say(key));
  const send = (of, command, given, more = {}) =>
    call("api/orders/all", { key: of?.key ?? "", command, note: given.note, ...more }, say("send"));

  function boardsOf(of) {
    const tables = of?.rounds.at(-1).tables;
    return newest().boards.filter((one) => !tables || tables.some((table) => table.board === one.board));
  }

  async function pause(of = null) {
    const count = boardsOf(of).filter((board) => !board.is_silent).length;
    const given = await ask(say, title("pause_all", of), say("concerns", { count }), [note()]);
    if (given) send(of, { is: "Hold" }, given);
  }

  // What an arbiter should know before the start: tables that are not ready, and inaccurate clocks.
  function warnings(tables, unready) {
    const named = (found, what) => found.map((one) => `${one.table.table}${what(one)}`).join(", ");
    const off = tables.filter(({ board }) => isClockOff(board));
    return [
      unready.length ? say("not_ready", { tables: named(unready, ({ state }) => ` (${say(`state_${state}`)})`) }) : "",
      off.length ? say("clocks_off", { tables: named(off, ({ board }) => ` (±${board.clock_error_ms} ms)`) }) : "",
    ].filter(Boolean).map((text) => el("p", { class: "fault" }, text));
  }

  async function start(of = null) {
    const { ready, unready } = readiness(boardsOf(of), newest().tournaments);
    const all = [...ready, ...unready];
    const isStart = all.some(({ state }) => state !== "paused"); // else play goes on after a pause
    const concerned = () => say("concerns", { count: boardsOf(of).length });
    const text = isStart ? say("ready_count", { count: ready.length }) : concerned();
    const which = {
      key: "which", label: say("start_which"), type: "select", value: "ready",
      options: [{ value: "ready", label: say("start_ready") }, { value: "all", label: say("start_every") }],
    };
    const fields = ready.length && unready.length ? [which, note()] : [note()];
    const given = await ask(say, title("start_all", of), text, fields, 1, warnings(all, isStart ? unready : []));
    if (!given) return;
    const isPart = given.which === "ready";
    send(of, START, given, isPart ? { boards: ready.map(({ board }) => board.board) } : {});
  }

  return { pause, start };
}
