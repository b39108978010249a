// SPDX-License-Identifier: Apache-2.0
// The moves so far, a row per round and a column per side; with thinking times if there are clocks.

import { duration } from "./clocks.js";
import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function makeMoves({ labels, sides }) {
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

  // Marks a move that may still become another one.
  const written = ({ text, stage }) => text + (stage === "provisional" ? "…" : "");

  // An eliminated side leaves its column empty.
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
    list.scrollTo(list.scrollWidth, list.scrollHeight); // a portrait screen has one line
    const last = record.at(-1);
    byId("last").textContent = last ? `${sides[last.side].name}  ${written(last)}` : "";
    byId("last-move").hidden = !last;
  }

  return { draw };
}
