// SPDX-License-Identifier: Apache-2.0
// The moves made so far, a round in a row and a column for each side; where time is kept, with what each took.

import { duration } from "./clocks.js";
import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function makeMoves({ labels, sides }) {
  const list = byId("moves");
  byId("moves-title").textContent = labels.moves;
  byId("last-title").textContent = labels["last-move"];
  list.style.setProperty("--sides", sides.length);
  let shown = "";

  // That an arbiter let a position stand before all moves: nobody's, in a row of its own.
  function above(text) {
    const made = el("li", {}, text);
    made.style.gridColumn = "2 / -1";
    return made;
  }

  function item(move, round, row, isFirst, isLast) {
    const spent = move.spent_ms === null ? [] : [duration(move.spent_ms)];
    const attributes = {
      class: move.stage,
      "aria-label": `${sides[move.side].name}: ${[written(move), ...spent].join(", ")}`,
      "data-round": isFirst && `${round}.`,
      "aria-current": isLast && "true",
    };
    const made = el("li", attributes, written(move), ...spent.flatMap((text) => [" ", el("small", {}, text)]));
    made.style.gridColumn = move.side + 2;
    made.style.gridRow = row;
    return made;
  }

  // What may still become another move says so.
  const written = ({ text, stage }) => text + (stage === "provisional" ? "…" : "");

  // A side that does not come again leaves its column empty.
  function draw({ record, start }) {
    const key = JSON.stringify([start, record.length, record.slice(-sides.length)]);
    if (key === shown) return;
    shown = key;
    const head = start ? [above(start)] : [];
    let round = 0;
    let before = sides.length;
    const items = record.map((move, index) => {
      const isFirst = move.side <= before;
      if (isFirst) round += 1;
      before = move.side;
      return item(move, round, round + head.length, isFirst, index === record.length - 1);
    });
    list.replaceChildren(...head, ...items);
    list.scrollTop = list.scrollHeight;
    const last = record.at(-1);
    byId("last").textContent = last ? `${sides[last.side].name}  ${written(last)}` : "";
    byId("last-move").hidden = !last;
  }

  return { draw };
}
