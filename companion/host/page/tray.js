// SPDX-License-Identifier: Apache-2.0
// What lies beside a virtual board: the box, and what can be done with the piece in the hand.

import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";

export function makeTray(root, table, send) {
  const { labels } = table;

  function button(text, kind, fields) {
    const made = document.createElement("button");
    made.type = "button";
    made.append(text);
    made.addEventListener("click", () => send(kind, fields));
    return made;
  }

  function boxed(piece, index, hand) {
    const picture = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, drawPiece(piece));
    const made = button(picture, "Take", { index });
    made.disabled = Boolean(hand);
    made.setAttribute("aria-label", `${labels.box}: ${piece.name}`);
    return made;
  }

  function draw({ wood, view }) {
    root.hidden = !wood;
    if (!wood) return;
    const parts = wood.box.map((piece, index) => boxed(piece, index, wood.hand));
    if (wood.hand) {
      parts.push(button(labels["put-back"], "PutBack"), button(labels["put-away"], "PutAway"));
      if (wood.hand.shape.length > 1 || wood.hand.facing !== null) parts.push(button(`↻ ${labels.rotate}`, "Turn"));
    } else if (view.guides.length) {
      parts.push(button(labels["set-right"], "SetRight"));
    }
    root.replaceChildren(...parts);
  }

  return { draw };
}
