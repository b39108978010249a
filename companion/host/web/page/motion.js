// SPDX-License-Identifier: Apache-2.0
// The pieces that stand on a board. A moved piece glides from where it was seen last, and a piece
// that has left the board fades; neither happens where the system asks for reduced motion.

const GLIDE_MS = 150;
const MOST = 8; // pieces; when more change, it is another position, not a move

const calm = matchMedia("(prefers-reduced-motion: reduce)");

// *put* draws a piece on its cells, *spot* is the centre of these.
export function makeStage(layer, { put, spot }) {
  let shown = []; // the pieces with their elements
  const kind = (piece) => `${piece.kind} ${piece.side}`;
  const place = (piece) => JSON.stringify([kind(piece), piece.cells, piece.facing, piece.pose, piece.face]);

  // *left* is a piece that has just left the hand, with the place where it was seen; *held* is in it.
  function show(standing, { left, held }) {
    const before = new Map(shown.map((each) => [place(each.piece), each]));
    const next = standing.map((piece) => {
      const known = before.get(place(piece));
      before.delete(place(piece));
      return known ?? { piece, element: put(piece), isNew: true };
    });
    const gone = [...before.values()];
    const isMove = shown.length > 0 && gone.length <= MOST && !calm.matches && !document.hidden;
    next.forEach((each) => {
      if (each.isNew && isMove) glide(each, origin(each.piece, gone, left));
      each.isNew = false;
    });
    const kept = new Set(next.map(({ element }) => element));
    [...layer.children].forEach((element) => kept.has(element) || element.remove());
    next.forEach(({ element }, index) => {
      if (layer.children[index] !== element) layer.insertBefore(element, layer.children[index] ?? null);
    });
    gone.filter(({ piece }) => isMove && !(held && kind(held) === kind(piece))).forEach(fade);
    shown = next;
  }

  // Where *piece* was seen last: in the hand, or on other cells, which are then taken out of *gone*.
  function origin(piece, gone, left) {
    if (left && kind(left.piece) === kind(piece)) return left.spot;
    const index = gone.findIndex((each) => kind(each.piece) === kind(piece));
    return index < 0 ? null : spot(gone.splice(index, 1)[0].piece);
  }

  function glide({ piece, element }, from) {
    if (!from) return;
    const [x, y] = spot(piece);
    const start = `${from[0] - x}px ${from[1] - y}px`;
    element.animate({ translate: [start, "0px 0px"] }, { duration: GLIDE_MS, easing: "ease-out" });
  }

  function fade({ element }) {
    element.classList.add("leaving");
    layer.prepend(element);
    element.animate({ opacity: [1, 0] }, { duration: GLIDE_MS }).finished.then(() => element.remove(), () => {});
  }

  return { show, at: (cell) => shown.find(({ piece }) => piece.cells.includes(cell))?.element };
}
