// SPDX-License-Identifier: Apache-2.0
// Pieces as SVG. Sides differ in brightness, and tokens in shape, too; never in colour alone. A piece
// is centred on (0, 0), 100 wide per cell of its length. Kinds without a shape show the first
// letters of their name; visible faces show their words.

import shapes from "./glyphs.js";
import { svg } from "./svg.js";

const { abilities, figures, glyphs, pyramids, tanks } = shapes;
const CELL = 100;
let set = "figures";

// Draws pieces from now on as "figures" or as "tokens", discs and tiles of high contrast.
export function usePieces(wanted) {
  set = wanted;
}

// *wide* and *high* are numbers of cells; *turn* is the angle of facing 1 in degrees.
export function drawPiece(piece, { wide = 1, high = 1, turn = 45 } = {}) {
  const side = piece.side ?? "none";
  const isWreck = piece.pose === "wreck";
  const drawn = svg("g", { class: `piece side-${side}${isWreck ? " wreck" : ""}` });
  if (piece.side === null && pyramids[piece.kind]) {
    drawn.append(...pyramid(pyramids[piece.kind]));
  } else if (tanks[piece.kind]) {
    drawn.append(tank(tanks[piece.kind], (piece.facing ?? 0) * turn));
  } else if (set === "figures" && piece.side !== null && figures[piece.kind]) {
    drawn.append(figure(figures[piece.kind], wide, high));
  } else {
    drawn.append(token(side, wide, high), ...face(piece, wide, high));
  }
  if (isWreck) drawn.append(svg("path", { class: "cross", d: "M-26-26 26 26M26-26-26 26" }));
  return drawn;
}

// The disc or tile under a piece, which distinguishes the sides.
function token(side, wide, high) {
  if (side === 0 && wide === 1 && high === 1) return svg("circle", { class: "token", r: 43 });
  const [width, height] = [wide * CELL - 22, high * CELL - 22];
  const round = side === 0 ? 39 : 14;
  return svg("rect", { class: "token", x: -width / 2, y: -height / 2, width, height, rx: round });
}

// A filled outline, as large as its cells.
function figure({ body, line }, wide, high) {
  const lies = wide > high ? " rotate(90)" : "";
  const transform = `scale(${wide === high ? wide : 1.7})${lies}`;
  return svg("g", { class: "figure", transform }, svg("path", { class: "body", d: body }), svg("path", { class: "line", d: line }));
}

function face(piece, wide, high) {
  if (glyphs[piece.kind]) {
    const size = Math.max(wide, high);
    const lies = wide > high ? " rotate(90)" : "";
    const grown = wide === high ? size * 0.88 : 1.5;
    return [svg("path", { class: "glyph", "fill-rule": "evenodd", d: glyphs[piece.kind], transform: `scale(${grown})${lies}` })];
  }
  const words = /^(.*?)[ -]?(\d+)$/.exec(piece.face ?? "");
  if (words) return ability(words[1], words[2]);
  return [text(piece.name.slice(0, 2), "letters", 0, 15)];
}

// A symbol, where there is one, and the strength, which are read on small cells, too, and the name.
function ability(name, strength) {
  const d = abilities[name.toLowerCase()];
  const symbols = d ? [svg("path", { class: "symbol", d, transform: "translate(-18 -10)" })] : [];
  const named = text(name.charAt(0).toUpperCase() + name.slice(1), "ability", 0, 27);
  return [...symbols, text(strength, "strength", d ? 17 : 0, 7), named];
}

function text(content, name, x, y) {
  return svg("text", { class: `glyph ${name}`, x, y }, content);
}

function tank({ wide, long, gun, bore, turret, mark, badge }, angle) {
  const box = (x, y, width, height, name, rx = 2) => svg("rect", { x, y, width, height, rx, class: name });
  const hull = svg(
    "g",
    { transform: `rotate(${angle})`, class: "hull" },
    box(-wide, -long, 2 * wide, 2 * long, "plate", 5),
    box(-wide + 3, -long + 3, 5, 2 * long - 6, "glyph"),
    box(wide - 8, -long + 3, 5, 2 * long - 6, "glyph"),
    box(-bore, -gun, 2 * bore, gun - 12, "plate barrel", 1),
    svg("circle", { class: "plate", r: turret }),
    svg("path", { class: "turn-arrows", d: "M-30-30A42 42 0 0 1 -12-40M-31-39-30-30-21-31M30-30A42 42 0 0 0 12-40M31-39 30-30 21-31" }),
  );
  return svg("g", { transform: "scale(1.18)" }, hull, badge ? svg("path", { class: "glyph", d: badge }) : svg("text", { class: "glyph mark", y: 6 }, mark));
}

// Four faces that meet in a point, each of a different brightness, and the outline of the base.
function pyramid(width) {
  const half = width / 2;
  const corners = [[-half, half], [half, half], [half, -half], [-half, -half]];
  const faces = corners.map((corner, index) =>
    svg("path", { class: `face-${index}`, d: `M${corner}L${corners[(index + 1) % 4]} 0 0Z` }),
  );
  return [...faces, svg("path", { class: "base", d: `M${corners.join("L")}Z` })];
}
