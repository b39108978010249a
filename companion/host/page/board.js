// SPDX-License-Identifier: Apache-2.0
// The board as SVG, from the outlines of its cells, whatever their shape. Draws one picture at a time and keeps none.

import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";

const MARGIN_MM = 4;
const FILL = 0.92; // of a cell by its piece

export function makeBoard(root, table) {
  const { cells, bounds_mm: bounds, files, obstacles, directions } = table.grid;
  const [left, near, right, far] = bounds;
  const width = right - left + 2 * MARGIN_MM;
  const height = far - near + 2 * MARGIN_MM;
  root.replaceChildren();
  root.setAttribute("viewBox", `${left - MARGIN_MM} ${-far - MARGIN_MM} ${width} ${height}`);
  root.setAttribute("aria-label", table.labels.board);
  root.parentElement.style.setProperty("--ratio", width / height);

  const places = cells.map((cell, index) => makeCell(cell, index, files));
  obstacles.forEach((cell) => places[cell].group.append(block(places[cell])));
  const marks = svg("g", { class: "marks" });
  const pieces = svg("g", { class: "pieces" });
  const hand = svg("g", { class: "hand" });
  root.append(frame(left, -far, right - left, far - near), ...places.map((place) => place.group), marks, pieces, hand);

  const turn = 360 / directions;

  function scale(index) {
    return (places[index].span * FILL) / 100;
  }

  function putPiece(piece) {
    const spots = piece.cells.map((cell) => places[cell].centre);
    const { span } = places[piece.cells[0]];
    const [[x, wide], [y, high]] = [0, 1].map((axis) => {
      const along = spots.map((spot) => spot[axis]);
      const [least, most] = [Math.min(...along), Math.max(...along)];
      return [(least + most) / 2, Math.round((most - least) / span) + 1];
    });
    const drawn = drawPiece(piece, { wide, high, turn });
    drawn.setAttribute("transform", `translate(${x} ${y}) scale(${scale(piece.cells[0])})`);
    return drawn;
  }

  // A long piece hangs from the cell by which it was taken.
  function drawHeld(held) {
    const [[x, wide], [y, high]] = [0, 1].map((axis) => {
      const along = held.shape.map((at) => at[axis]);
      const [least, most] = [Math.min(...along), Math.max(...along)];
      return [(least + most) / 2, most - least + 1];
    });
    const drawn = drawPiece(held, { wide, high, turn });
    drawn.setAttribute("transform", `translate(${(x * 100) / FILL} ${(-y * 100) / FILL})`);
    return drawn;
  }

  function draw(picture) {
    const { view, wood, lamps } = picture;
    const standing = wood ? wood.pieces : view.pieces.filter((piece) => !isLifted(piece, view));
    const byCell = new Map(standing.flatMap((piece) => piece.cells.map((cell) => [cell, piece])));
    places.forEach((place, index) => {
      place.lamp.setAttribute("class", `lamp lamp-${lamps.cells[index] ?? 0}`);
      place.group.setAttribute("aria-label", label(index, byCell.get(index), view));
    });
    pieces.replaceChildren(...standing.map(putPiece));
    marks.replaceChildren(...view.targets.map((cell) => target(cell, byCell.has(cell))), ...view.guides.map(arrow));
    hand.replaceChildren(...(wood?.hand ? [drawHeld(wood.hand)] : []));
    root.classList.toggle("holding", Boolean(wood?.hand));
    if (wood?.hand) moveHand(handSpot(wood.hand));
  }

  let pointer = null;

  function handSpot(held) {
    if (pointer) return pointer;
    const focused = places.findIndex((place) => place.group === document.activeElement);
    const cell = focused >= 0 ? focused : held.came_from;
    return cell === null ? [left, -near] : [places[cell].centre[0], places[cell].centre[1] - places[cell].span * 0.18];
  }

  function moveHand([x, y]) {
    hand.setAttribute("transform", `translate(${x} ${y}) scale(${scale(0) * 1.12})`);
  }

  function label(index, piece, view) {
    const parts = [cells[index].name, piece?.name];
    if (view.targets.includes(index)) parts.push(table.labels.target);
    parts.push(...view.guides.filter((g) => g.source === index || g.target === index).map((g) => g.sentence));
    return parts.filter(Boolean).join(", ");
  }

  function target(cell, isCapture) {
    const [cx, cy] = places[cell].centre;
    const r = places[cell].span * (isCapture ? 0.45 : 0.11);
    return svg("circle", { class: isCapture ? "target capture" : "target", cx, cy, r });
  }

  function arrow(guide) {
    if (guide.source === null || guide.target === null) {
      const cell = guide.source ?? guide.target;
      const ghost = guide.source === null ? drawPiece(guide, { turn }) : svg("path", { class: "cross", d: "M-30-30 30 30M30-30-30 30" });
      const [x, y] = places[cell].centre;
      ghost.setAttribute("transform", `translate(${x} ${y}) scale(${scale(cell)})`);
      ghost.classList.add("guide");
      return ghost;
    }
    const [[x1, y1], [x2, y2]] = [places[guide.source].centre, places[guide.target].centre];
    const long = Math.hypot(x2 - x1, y2 - y1);
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const head = places[guide.target].span * 0.28;
    const d = `M0-2H${long - head}V${-head / 2}L${long} 0 ${long - head} ${head / 2}V2H0Z`;
    return svg("path", { class: "guide arrow", d, transform: `translate(${x1} ${y1}) rotate(${angle})` });
  }

  return {
    root,
    draw,
    cellAt: (element) => places.findIndex((place) => place.group === element?.closest?.("[data-cell]")),
    focus(index) {
      places.forEach((place, other) => place.group.setAttribute("tabindex", other === index ? 0 : -1));
      places[index].group.focus();
    },
    neighbour: (index, direction) => neighbour(places, index, direction),
    follow(event) {
      pointer = event && new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
      pointer = pointer && [pointer.x, pointer.y];
      if (pointer) moveHand(pointer);
    },
  };
}

function frame(x, y, width, height) {
  const m = MARGIN_MM * 0.7;
  return svg("rect", { class: "frame", x: x - m, y: y - m, width: width + 2 * m, height: height + 2 * m, rx: m });
}

function makeCell({ name, outline }, index, files) {
  const corners = outline.map(([x, y]) => [x, -y]);
  const mean = (axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  const centre = [mean(0), mean(1)];
  const path = (shrink) =>
    `M${corners.map((c) => c.map((v, axis) => (centre[axis] + (v - centre[axis]) * shrink).toFixed(2)).join(" ")).join("L")}Z`;
  const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
  const span = Math.min(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const lamp = svg("path", { class: "lamp lamp-0", d: path(0.9), "stroke-width": span * 0.07 });
  const group = svg(
    "g",
    { role: "button", tabindex: index ? -1 : 0, "data-cell": index, class: "cell" },
    svg("path", { class: isDark(name, index, files) ? "floor dark" : "floor", d: path(1) }),
    lamp,
    svg("text", { class: "name", ...nameSpot(xs, ys, centre, span), "font-size": span * 0.14 }, name),
    svg("path", { class: "focus", d: path(0.97) }),
  );
  return { group, lamp, centre, span };
}

// What is printed on the board and lets nobody through.
function block({ centre: [x, y], span }) {
  const size = span * 0.78;
  return svg("rect", { class: "obstacle", x: x - size / 2, y: y - size / 2, width: size, height: size, rx: span * 0.12 });
}

// Where the name of a cell stands: in the corner of a rectangle, below the middle of any other shape.
function nameSpot(xs, ys, centre, span) {
  const [left, near] = [Math.min(...xs), Math.max(...ys)];
  const isUpright = [xs, ys].every((values) => new Set(values.map((value) => value.toFixed(3))).size === 2);
  if (isUpright) return { x: left + span * 0.05, y: near - span * 0.06 };
  return { x: centre[0], y: centre[1] + span * 0.36, "text-anchor": "middle" };
}

// Two shades, so that neighbours differ: by file and rank, or by the two distances in the name of a wedge's cell.
function isDark(name, index, files) {
  const [across, along] = files ? [index % files, Math.floor(index / files)] : name.slice(-2);
  return (Number(across) + Number(along)) % 2 === 0;
}

// The cell one goes to with an arrow key: the nearest that lies more that way than to either side.
function neighbour(places, index, [dx, dy]) {
  const [x, y] = places[index].centre;
  let best = index;
  let least = Infinity;
  places.forEach(({ centre: [px, py] }, other) => {
    const along = (px - x) * dx + (py - y) * dy;
    const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    if (other !== index && along > 1e-6 && across <= along && along + 2 * across < least) {
      least = along + 2 * across;
      best = other;
    }
  });
  return best;
}

function isLifted(piece, view) {
  return piece.cells.some((cell) => view.lifted.includes(cell));
}
