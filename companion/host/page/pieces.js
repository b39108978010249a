// SPDX-License-Identifier: Apache-2.0
// Pieces as SVG. Sides differ by shape and by brightness, never by colour alone.
// A piece is drawn around (0, 0), 100 across; an unknown kind shows the first letters of its name.

import { svg } from "./svg.js";

const GLYPHS = {
  sword:
    "M0-36 5-27V9H17V16H4.5V26A6 6 0 1 1-4.5 26V16H-17V9H-5V-27Z",
  spear:
    "M0-39C9-28 9-17 3-12V-9H9V-4H3V35H-3V-4H-9V-9H-3V-12C-9-17-9-28 0-39Z",
  mace:
    "M-3.5 36V-1L-9-3-13 1-15-6-21-8-17-14-20-20-13-21-11-28-5-25 0-31 5-25 11-28 13-21 20-20 17-14 21-8 15-6 13 1 9-3 3.5-1V36Z",
  axe:
    "M-3 36V-6C-10-5-15-1-19 5-26-6-26-22-19-33-15-27-10-23-3-22V-33H3V-22C10-23 15-27 19-33 26-22 26-6 19 5 15-1 10-5 3-6V36Z",
};

const TOKENS = [
  () => svg("circle", { r: 43 }),
  () => svg("rect", { x: -39, y: -39, width: 78, height: 78, rx: 14 }),
];

export function drawPiece(piece) {
  const side = piece.side ?? 0;
  const glyph = GLYPHS[piece.kind]
    ? svg("path", { class: "glyph", d: GLYPHS[piece.kind] })
    : svg("text", { class: "glyph letters", dy: "0.35em" }, piece.name.slice(0, 2));
  const token = TOKENS[side % TOKENS.length]();
  token.setAttribute("class", "token");
  return svg("g", { class: `piece side-${side}` }, token, glyph);
}
