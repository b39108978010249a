// SPDX-License-Identifier: Apache-2.0
// The choices of a question at the place they are about: pieces beside a cell, a compass round a
// piece, arrows, or rings round cells. The buttons of the message strip are there for keys and screen
// readers, so these are for pointers only.

import { FINGER_PX, pixel } from "./boardsize.js";
import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";

const COLUMN = 4; // pieces above one another

// *places* have the centres and spans of the cells; *edges* are left, top, right and bottom of the
// board; *arrow* draws the way between two places; *isHeld* tells whether a piece is in the hand.
export function makePicker(layer, { root, places, edges, turn, isFlipped, posed, arrow, isHeld }) {
  let asked = [null, null];

  // The edges of what is seen of the board.
  function bounds() {
    const { x, y, width, height } = root.viewBox.baseVal;
    const [left, top, right, bottom] = edges;
    return [Math.max(left, x), Math.max(top, y), Math.min(right, x + width), Math.min(bottom, y + height)];
  }

  // A place whose surroundings are seen, as near to *place* as possible.
  function inSight([x, y], radius) {
    const [left, top, right, bottom] = bounds();
    return [within(x, [left, right], radius), within(y, [top, bottom], radius)];
  }

  function show(question, answer) {
    asked = [question, answer];
    const shapes = question ? drawn(question) : [];
    const order = question?.order ?? [];
    const shown = order.filter((choice) => shapes[choice]);
    const made = (choice) => tap(shapes[choice], question.choices[choice].label, () => answer(choice));
    layer.replaceChildren(...shown.map(made));
  }

  // By choice, its shape; null for a choice without a place.
  function drawn({ choices, aspect, order }) {
    if (aspect === "facing") return compass(choices);
    if (aspect === "kind" || aspect === "pose") return pieces(choices, order);
    return choices.map(({ arrow: way, cells }) => (way && way[0] !== way[1] ? pointer(way) : ring(cells)));
  }

  function tap(shape, label, act) {
    const made = svg("g", { class: "tap" }, svg("title", {}, label), ...shape);
    made.addEventListener("pointerdown", (event) => event.stopPropagation());
    made.addEventListener("click", act);
    return made;
  }

  // From the cell, or the one after it if a held piece is seen there, towards the middle of the board.
  function pieces(choices, order) {
    if (choices.some(({ piece, cells }) => !piece || !cells.length)) return [];
    const { centre: [x, y], span } = places[choices[0].cells[0]];
    const [left, top, right, bottom] = bounds();
    const rows = Math.min(COLUMN, choices.length);
    const size = Math.max(Math.min(span, (bottom - top) / rows), fingerSize(root));
    const columns = Math.ceil(choices.length / rows);
    const [wide, high] = [size * (columns - 0.5), size * (rows - 0.5)]; // beyond the first
    const [across, along] = [x > (left + right) / 2 ? -1 : 1, y > (top + bottom) / 2 ? -1 : 1];
    const first = (value, ends, way, long) => within(value, ends, ...(way > 0 ? [size / 2, long] : [long, size / 2]));
    const firstX = first(x, [left, right], across, wide);
    const firstY = first(isHeld() ? y + along * size : y, [top, bottom], along, high);
    return choices.map(({ piece }, choice) => {
      const at = order.indexOf(choice);
      const [cx, cy] = [firstX + across * size * Math.floor(at / rows), firstY + along * size * (at % rows)];
      const picture = drawPiece(posed(piece), { turn });
      picture.setAttribute("transform", `translate(${cx} ${cy}) scale(${(size * 0.9) / 100})`);
      const place = { x: cx - size / 2, y: cy - size / 2, width: size, height: size };
      return [svg("rect", { class: "tile", ...place, "stroke-width": size * 0.04 }), picture];
    });
  }

  function compass(choices) {
    const { centre, span } = places[choices[0].cells[0]];
    const r = Math.max(span * 0.36, fingerSize(root) / 2);
    const far = Math.max(span * 1.05, r * 2.7);
    const [x, y] = beside(centre, inSight(centre, far + r), [far - 1.2 * r, far + 1.2 * r]);
    return choices.map(({ piece }) => {
      const degrees = (piece.facing * turn + (isFlipped ? 180 : 0)) % 360;
      const head = svg("path", { class: "head", d: "M0-30 26 22 0 10-26 22Z", transform: `scale(${r / 46})` });
      const transform = `translate(${x} ${y}) rotate(${degrees}) translate(0 ${-far})`;
      return [svg("g", { transform }, svg("circle", { class: "disc", r, "stroke-width": r * 0.09 }), head)];
    });
  }

  // The tip of an arrow is as large as a finger.
  function pointer([source, target]) {
    const { centre: [cx, cy], span } = places[target];
    const r = Math.max(span * 0.45, fingerSize(root) / 2);
    return [arrow(source, target), svg("circle", { class: "tip", cx, cy, r })];
  }

  function ring(cells) {
    if (!cells.length) return null;
    return cells.map((cell) => {
      const { centre: [cx, cy], span } = places[cell];
      return svg("circle", { class: "ring", cx, cy, r: span * 0.43, "stroke-width": span * 0.08 });
    });
  }

  // The same question on another part of the board.
  const again = () => asked[0] && show(...asked);

  return { show, again, inSight };
}

// *moved*, or further the same way if that is between *least* and *most* from *place*: no arrow of a
// compass lies on the piece that it is about, where a tap leaves it as it is.
function beside(place, moved, [least, most]) {
  const [right, down] = [moved[0] - place[0], moved[1] - place[1]];
  const away = Math.hypot(right, down);
  const times = least < away && away < most ? most / away : 1;
  return [place[0] + right * times, place[1] + down * times];
}

// What a finger needs, in units of the board.
const fingerSize = (root) => FINGER_PX * pixel(root);

// *value*, with room for *before* and *after* it between the edges.
function within(value, [least, most], before, after = before) {
  return Math.min(Math.max(value, least + before), Math.max(most - after, least + before));
}
