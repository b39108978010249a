// SPDX-License-Identifier: Apache-2.0
// The names of files and ranks: beside the board, or on its cells.

import { svg } from "./svg.js";

const file = ({ name }) => name.replace(/\d+$/, "");
const rank = ({ name }) => name.replace(/^\D+/, "");

// Along a rectangle: the common part of the cells' names.
export function edges(cells, places, files, [left, near], gutter) {
  const size = Math.min(gutter * 0.64, places[0].span * 0.5);
  const text = (name, x, y) => svg("text", { class: "edge", x, y, "font-size": size }, name);
  const firstRank = cells.slice(0, files);
  const firstFile = cells.filter((_, index) => index % files === 0);
  return [
    ...firstRank.map((cell, index) => text(file(cell), places[index].centre[0], near + gutter * 0.55)),
    ...firstFile.map((cell, index) => text(rank(cell), left - gutter * 0.5, places[index * files].centre[1])),
  ];
}

// In the corners of the first rank and file.
export function corners(cells, places, files, isFlipped) {
  function text(name, index, [right, down]) {
    const { centre: [x, y], span } = places[index];
    const spot = { x: x + right * span * 0.41, y: y + down * span * 0.39 };
    return svg("text", { class: "inner", ...spot, "font-size": span * 0.17 }, name);
  }
  const [first, edge] = isFlipped ? [cells.length - files, files - 1] : [0, 0];
  return cells.flatMap((cell, index) => [
    ...(index >= first && index < first + files ? [text(file(cell), index, [1, 1])] : []),
    ...(index % files === edge ? [text(rank(cell), index, [-1, -1])] : []),
  ]);
}
