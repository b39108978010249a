// SPDX-License-Identifier: Apache-2.0
// The held piece at a virtual table, with its actions as buttons.

import { el } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";

export function makeTray(root, table, send) {
  const { labels } = table;
  const turn = 360 / table.grid.directions;
  const picture = svg("svg", { viewBox: "-50 -50 100 100", role: "img", class: "held" });
  let shown = ""; // what the buttons mean
  let pictured = "";

  const button = (text, kind, fields, label = null) =>
    el("button", { type: "button", "aria-label": label, onclick: () => send(kind, fields) }, text);

  const canTurn = (hand) => hand.shape.length > 1 || hand.facing !== null;

  function held(hand) {
    const parts = [picture, button(labels["put-back"], "PutBack"), button(labels["put-away"], "PutAway")];
    if (canTurn(hand)) {
      parts.push(button(`↻ ${labels.rotate}`, "Turn"), button("↺", "Turn", { back: true }, `${labels.rotate} ↺`));
    }
    if (hand.other_face) {
      const flip = button(`⇄ ${hand.other_face}`, "Flip");
      flip.className = "face";
      parts.push(flip);
    }
    return parts;
  }

  // Long pieces are shown whole, at a smaller scale.
  function show(hand) {
    const [wide, high] = [0, 1].map((axis) => {
      const along = hand.shape.map((at) => at[axis]);
      return Math.max(...along) - Math.min(...along) + 1;
    });
    const drawn = drawPiece(hand, { wide, high, turn });
    drawn.setAttribute("transform", `scale(${1 / Math.max(wide, high)})`);
    picture.setAttribute("aria-label", `${labels.hand}: ${hand.name}`);
    picture.replaceChildren(drawn);
  }

  function draw({ virtual }) {
    root.hidden = !virtual;
    if (!virtual) return;
    const { hand } = virtual;
    const drawn = JSON.stringify(hand);
    if (drawn === pictured) return;
    pictured = drawn;
    if (hand) show(hand);
    // Buttons are replaced only when their meaning changes, so that a focused one keeps the focus.
    const key = JSON.stringify([hand && canTurn(hand), hand?.other_face]);
    if (key === shown) return;
    shown = key;
    root.replaceChildren(...(hand ? held(hand) : []));
  }

  return { draw };
}
