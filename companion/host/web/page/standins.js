// SPDX-License-Identifier: Apache-2.0
// The chess pieces that stand in for the game's, while it is set up: in words, and as pictures.

import { el } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";

const small = (piece) => svg("svg", { viewBox: "-50 -50 100 100" }, drawPiece(piece));

export function makeStandins(root) {
  let shown = "";

  function draw(standins) {
    const key = JSON.stringify(standins);
    if (key === shown) return;
    shown = key;
    if (!standins) {
      root.replaceChildren();
      return;
    }
    const pairs = standins.pairs.map(({ name, piece, chess }) =>
      el("li", {}, small(piece), `${name} =`, ...chess.map(small)),
    );
    root.replaceChildren(
      el("p", { class: "unseen" }, standins.sentence), // for a screen reader: the pictures say the same
      el("p", { "aria-hidden": "true" }, standins.lead),
      el("ul", { "aria-hidden": "true" }, ...pairs),
      el("p", { "aria-hidden": "true" }, standins.lacking),
    );
  }

  return { draw };
}
