// SPDX-License-Identifier: Apache-2.0
// What an arbiter sees of a board at a glance: its table, its state, since when, and in which order boards stand.

import { inOrder } from "./shared.js";

// All states, worst first, with their marks: no state is shown by colour alone.
export const MARKS = {
  silent: "✕", sensor: "⚠", illegal: "▲", flag: "⚑", question: "?", draw: "½", reported: "✓", paused: "‖",
  setup: "⚙", thinking: "●", ready: "○", decided: "☑", free: "–",
};
export const STATES = Object.keys(MARKS);

// The table at each board: of the last round of its tournament, one without a result first.
export function tablesByBoard(tournaments) {
  const found = new Map();
  for (const of of tournaments) {
    const round = of.rounds.at(-1);
    for (const table of round?.tables ?? []) {
      if (table.board && !(found.get(table.board)?.table.is_on && !table.is_on)) {
        found.set(table.board, { of, round, table });
      }
    }
  }
  return found;
}

export function stateOf(board, table) {
  const { glance, trouble, is_silent: isSilent, is_beginning: isBeginning, is_decided: isDecided } = board;
  if (table && !table.is_on) return "decided";
  if (isSilent) return "silent";
  if (trouble) return "sensor";
  if (!glance || (table && isBeginning)) return "setup";
  if (!table && isDecided) return "free"; // what stands there is over
  if (glance.fault) return "illegal";
  if (glance.outcome) return table ? (glance.outcome.termination === "time" ? "flag" : "reported") : "free";
  if (glance.question) return "question";
  if (glance.draw_offered_by !== undefined) return "draw";
  if (glance.phase === "paused") return "paused";
  if (glance.phase === "setting_up") return "setup";
  return glance.ply || (glance.clocks?.length && !glance.awaits_clock) ? "thinking" : "ready";
}

// What a state has lasted since: the turn of who thinks, otherwise the board's oldest alarm.
export function sinceOf(state, board, alarms) {
  if (state === "thinking") return board.turn_ms;
  if (state === "decided") return null;
  const mine = alarms.filter((alarm) => alarm.board === board.board && alarm.urgency > 1);
  return mine.length ? Math.min(...mine.map((alarm) => alarm.since_ms)) : null;
}

const leastTime = ({ board }) => Math.min(...(board.glance?.clocks ?? []).map((clock) => clock.left_ms), Infinity);
const byNumber = (one, other) => (one.table?.table ?? Infinity) - (other.table?.table ?? Infinity) || 0;
const byName = (one, other) => inOrder(one.board.board, other.board.board);
const ORDERS = {
  number: (one, other) => byNumber(one, other),
  state: (one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state),
  time: (one, other) => leastTime(one) - leastTime(other) || 0,
};
export const SORTS = Object.keys(ORDERS);

export function sorted(tiles, by) {
  return [...tiles].sort((one, other) => ORDERS[by](one, other) || byNumber(one, other) || byName(one, other));
}

const CLOCK_ERROR_MS = 500; // an inaccuracy that an arbiter should know of
const CLOCK_DRIFT_MS = 2000;
export const isClockOff = ({ clock_error_ms: error, clock_drift_ms: drift }) =>
  error > CLOCK_ERROR_MS || Math.abs(drift) > CLOCK_DRIFT_MS;

// The tables at *boards* whose clocks a start would start, with their states. Ready are those where the game of
// the round has begun, its position stands, and the clocks wait; the others are the rest that does not play.
export function readiness(boards, tournaments) {
  const tables = tablesByBoard(tournaments);
  const waiting = boards.map((board) => ({ board, table: tables.get(board.board)?.table }))
    .filter(({ table }) => table?.is_on)
    .map((one) => ({ ...one, state: stateOf(one.board, one.table) }))
    .filter(({ board, state }) => state === "paused" || !hasBegun(board))
    .sort((one, other) => one.table.table - other.table.table);
  return {
    ready: waiting.filter(({ state }) => state === "ready"),
    unready: waiting.filter(({ state }) => state !== "ready"),
  };
}

function hasBegun({ glance, is_beginning: isBeginning }) {
  if (!glance || isBeginning) return false;
  return glance.ply > 0 || Boolean(glance.outcome) || (glance.clocks ?? []).some((clock) => clock.is_running);
}

// True if *text* is the number of the table, or part of a name: of the board, or of somebody who sits there.
export function matches({ board, table }, text) {
  const wanted = text.trim().toLocaleLowerCase();
  if (!wanted) return true;
  if (/^\d+$/.test(wanted)) {
    return table ? String(table.table) === wanted : board.board.match(/\d+$/)?.[0] === wanted;
  }
  return [board.name, board.board, ...(table?.seated ?? [])].some((name) => name.toLocaleLowerCase().includes(wanted));
}

// In how many columns *count* tiles fill a place best: as near to *ratio*, width to height, as it goes.
export function columnsFor(count, width, height, ratio = 1.9) {
  const far = (columns) => Math.abs(Math.log((width / columns) / (height / Math.ceil(count / columns)) / ratio));
  const all = Array.from({ length: Math.max(1, count) }, (_, index) => index + 1);
  return all.filter((columns) => columns === 1 || width / columns >= 92)
    .reduce((best, columns) => (far(columns) < far(best) ? columns : best), 1);
}
