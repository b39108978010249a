// SPDX-License-Identifier: Apache-2.0
// Which pieces stand on a real board.

// Recorded pieces that are missing are left out, and misplaced ones are shown where they stand.
export function seen(view) {
  const missing = (piece) => view.guides.find(({ target }) => target !== null && piece.cells.includes(target));
  const misplaced = view.guides.filter(({ source }) => source !== null).map((guide) => {
    const whole = view.pieces.find((piece) => piece.cells.includes(guide.target));
    const cells = whole ? whole.cells.map((cell) => cell + guide.source - guide.target) : [guide.source];
    return { ...guide, cells };
  });
  return [...view.pieces.filter((piece) => !isLifted(piece, view) && !missing(piece)), ...misplaced];
}

function isLifted(piece, view) {
  return piece.cells.some((cell) => view.lifted.includes(cell));
}
