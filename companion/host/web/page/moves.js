// SPDX-License-Identifier: Apache-2.0
// The moves so far, a row per round and a column per side; with thinking times if there are clocks.
// Each one shows the position after it.

import { duration } from "./clocks.js";
import { el } from "./dom.js";
import { signOf } from "./grades.js";

const byId = (id) => document.getElementById(id);

export function makeMoves({ labels, sides }, pick) {
  const list = byId("moves");
  byId("moves-title").textContent = labels.moves;
  byId("last-title").textContent = labels["last-move"];
  list.style.setProperty("--sides", sides.length);
  let shown = "";

  // A position adopted before all moves has a row of its own.
  function above(text) {
    const made = el("li", {}, text);
    made.style.gridColumn = "2 / -1";
    return made;
  }

  function item(move, round, row, isFirst, grade) {
    const spent = move.spent_ms === null ? [] : [duration(move.spent_ms)];
    const graded = grade ? [labels[`grade-${grade}`]] : [];
    const label = `${sides[move.side].name}: ${[written(move), ...graded, ...spent].join(", ")}`;
    const sign = grade ? [" ", el("b", { class: `grade ${grade}`, title: graded[0] }, signOf(grade))] : [];
    const inside = [written(move), ...sign, ...spent.flatMap((text) => [" ", el("small", {}, text)])];
    const attributes = { type: "button", tabindex: -1, "aria-label": label, onclick: () => pick(move.ply) };
    const button = el("button", attributes, ...inside);
    const made = el("li", { class: move.stage, "data-round": isFirst && `${round}.`, "data-ply": move.ply }, button);
    made.style.gridColumn = move.side + 2;
    made.style.gridRow = row;
    return made;
  }

  // Marks a move that may still become another one.
  const written = ({ text, stage }) => text + (stage === "provisional" ? "…" : "");

  // An eliminated side leaves its column empty. *grades* are those of the moves, by ply.
  function draw({ record, start }, ply = null, grades = {}) {
    const key = JSON.stringify([start, record.length, record.slice(-sides.length), grades]);
    const isNew = key !== shown;
    if (isNew) {
      shown = key;
      fillList(record, start, grades);
    }
    mark(ply ?? record.at(-1)?.ply ?? null, isNew);
  }

  function fillList(record, start, grades) {
    const head = start ? [above(start)] : [];
    let round = 0;
    let before = sides.length;
    const items = record.map((move) => {
      const isFirst = move.side <= before;
      if (isFirst) round += 1;
      before = move.side;
      return item(move, round, round + head.length, isFirst, grades[move.ply]);
    });
    list.replaceChildren(...head, ...items);
    const last = record.at(-1);
    byId("last").textContent = last ? `${sides[last.side].name}  ${written(last)}` : "";
    byId("last-move").hidden = !last;
  }

  // Marks the move whose position is shown; the list scrolls to it, not the page.
  function mark(ply, isNew) {
    const current = list.querySelector("[aria-current]");
    const wanted = ply === null ? null : list.querySelector(`[data-ply="${ply}"]`);
    if (current === wanted && !isNew) return;
    current?.removeAttribute("aria-current");
    wanted?.setAttribute("aria-current", "true");
    if (!list.childElementCount) return;
    if (!wanted) list.scrollTo(0, 0);
    else if (wanted === list.lastElementChild) list.scrollTo(list.scrollWidth, list.scrollHeight);
    else {
      const [left, top] = [wanted.offsetLeft - list.offsetLeft, wanted.offsetTop - list.offsetTop];
      list.scrollTo(left - list.clientWidth / 2, top - list.clientHeight / 2);
    }
  }

  return { draw };
}
