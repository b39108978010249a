// SPDX-License-Identifier: Apache-2.0
// The search at the desk: it finds boards by number or name, and acts at the one that it found: "12 draw".

import { el } from "../page/dom.js";
import { matches } from "./desk_states.js";
import { points } from "./shared.js";

const RESULTS = {
  first: [2, 0], draw: [1, 1], second: [0, 2], first_forfeit: [2, 0], second_forfeit: [0, 2], absent: [0, 0],
};
const FORFEITS = ["first_forfeit", "second_forfeit", "absent"];
const SIGNS = {
  "+": "first", "1-0": "first", "1:0": "first", "-": "second", "0-1": "second", "0:1": "second",
  "+-": "first_forfeit", "-+": "second_forfeit", "--": "absent",
  "=": "draw", "½": "draw", "1/2": "draw", "½-½": "draw", "½:½": "draw",
};
const VERBS = ["draw", "first", "second", "confirm", "pause", "resume", "time", "go"];

// The parts of *text*: whom it names, and what is to be done there; `words` are the verbs in the reader's language.
export function parsed(text, words) {
  const glued = text.trim().match(/^(\d+)\s*([-+=½].*|[01][-:][01])$/);
  const [, target, last] = glued ?? text.trim().match(/^(.*\S)\s+(\S+)$/) ?? [null, text.trim(), ""];
  const wanted = last.toLocaleLowerCase();
  const verb = SIGNS[wanted] ?? (wanted && VERBS.find((each) => words[each].toLocaleLowerCase().startsWith(wanted)));
  return verb ? { target, verb } : { target: text.trim(), verb: null };
}

export function makeSearch({ say, grid, open, boards, events, looks, takeAt }) {
  const words = Object.fromEntries(VERBS.map((verb) => [verb, say(`verb_${verb}`)]));
  const label = say("find");
  const input = el("input", { type: "search", placeholder: label, "aria-label": label, autocomplete: "off" });
  const preview = el("output", { class: "preview" });

  // The verb of *text* at its boards; a side's name is a verb, too. Without a board the whole text is a name.
  function understood(text) {
    const all = grid.entries();
    const found = parsed(text, words);
    if (!found.verb) {
      const [, target, last] = text.trim().match(/^(.*\S)\s+(\S+)$/) ?? [];
      const at = target ? all.filter((one) => matches(one, target)) : [];
      const side = at.length === 1 ? sideOf(at[0], last) : -1;
      if (side >= 0) return { at, verb: ["first", "second"][side], target };
    }
    const at = all.filter((one) => matches(one, found.target));
    if (found.verb && !at.length) return { at: all.filter((one) => matches(one, text)), verb: null, target: text };
    return { ...found, at };
  }

  function sideOf({ board }, name) {
    const sides = (looks[board.set]?.sides ?? []).slice(0, 2);
    return sides.findIndex((side) => side.toLocaleLowerCase().startsWith(name.toLocaleLowerCase()));
  }

  function where({ board, table }) {
    return table ? `${say("table")} ${table.table} · ${table.players.join(" – ")}` : board.name;
  }

  function show() {
    const text = input.value;
    const { at, verb, target } = understood(text);
    grid.find(verb ? target : text);
    const score = RESULTS[verb]?.map((half) => points(half / 2)).join(" : ");
    const how = FORFEITS.includes(verb) ? ` ${say("forfeit")}` : "";
    const what = score ? score + how : verb && say(`verb_${verb}`);
    if (!text.trim()) preview.textContent = "";
    else if (at.length !== 1) preview.textContent = say("found", { count: at.length });
    else preview.textContent = `${where(at[0])}${what ? `: ${what}` : ""} ⏎`;
  }

  const doing = {
    confirm: (one) => one.table?.reported && events.confirm(one),
    pause: ({ board }) => boards.press(board, "pause"),
    resume: ({ board }) => boards.press(board, "resume"),
    time: ({ board }) => boards.press(board, "adjust_time"),
    go: ({ board }) => takeAt(board.board),
  };

  function act(one, verb) {
    if (!verb) open(one.board.board);
    else if (!RESULTS[verb]) doing[verb](one);
    else if (one.table?.numbers.length === 2) events.settle(one, RESULTS[verb], FORFEITS.includes(verb));
  }

  function clear() {
    input.value = "";
    show();
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      clear();
      input.blur();
    } else if (event.key === "Enter") {
      const { at, verb } = understood(input.value);
      if (at.length !== 1 || !input.value.trim()) return;
      clear();
      input.blur(); // digits begin the next search; letters are keys again
      act(at[0], verb);
    }
  });

  return { element: el("div", { class: "search", role: "search" }, input, preview), focus: () => input.focus(), act };
}
