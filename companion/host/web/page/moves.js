// SPDX-License-Identifier: Apache-2.0
// The moves made so far, a round in a row and a column for each side; where time is kept, with what each took.

import { duration } from "./clocks.js";

const byId = (id) => document.getElementById(id);

export function makeMoves({ labels, sides }) {
  const list = byId("moves");
  byId("moves-title").textContent = labels.moves;
  byId("last-title").textContent = labels["last-move"];
  list.style.setProperty("--sides", sides.length);
  let shown = "";

  // That an arbiter let a position stand before all moves: nobody's, in a row of its own.
  function above(text) {
    const made = document.createElement("li");
    made.textContent = text;
    made.style.gridColumn = "2 / -1";
    return made;
  }

  function item(move, round, row, isFirst, isLast) {
    const made = document.createElement("li");
    made.className = move.stage;
    made.textContent = written(move);
    const told = [written(move)];
    if (move.spent_ms !== null) {
      const spent = document.createElement("small");
      spent.textContent = duration(move.spent_ms);
      told.push(spent.textContent);
      made.append(" ", spent);
    }
    made.setAttribute("aria-label", `${sides[move.side].name}: ${told.join(", ")}`);
    made.style.gridColumn = move.side + 2;
    made.style.gridRow = row;
    if (isFirst) made.dataset.round = `${round}.`;
    if (isLast) made.setAttribute("aria-current", "true");
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
