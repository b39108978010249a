// SPDX-License-Identifier: Apache-2.0
// The cells of the board: their elements, what these show, and which cell is next to another.

import { svg } from "./svg.js";

export function makeCell({ name, outline }, index, hasName) {
  const corners = outline.map(([x, y]) => [x, -y]);
  const mean = (axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  const centre = [mean(0), mean(1)];
  const shrunk = (value, axis, share) => (centre[axis] + (value - centre[axis]) * share).toFixed(2);
  const point = (corner, share) => corner.map((value, axis) => shrunk(value, axis, share)).join(" ");
  const path = (share) => `M${corners.map((corner) => point(corner, share)).join("L")}Z`;
  const far = corners.map((corner, at) => distance(centre, corner, corners[(at + 1) % corners.length]));
  const span = 2 * Math.min(...far);
  const [x, y] = centre;
  const written = { class: "name", x, y: y + span * 0.42, "text-anchor": "middle", "font-size": span * 0.19 };
  const floor = svg("path", { class: "floor", d: path(1) });
  const trace = svg("path", { class: "trace", d: path(1) });
  const lamp = svg("path", { class: "lamp lamp-0", d: path(0.9), "stroke-width": span * 0.07 });
  const group = svg(
    "g",
    { role: "button", tabindex: index ? -1 : 0, "data-cell": index, class: "cell" },
    floor,
    trace,
    lamp,
    ...(hasName ? [svg("text", written, name)] : []),
    svg("path", { class: "focus", d: path(0.97) }),
  );
  const shown = { lamp: 0, said: "", isUnsure: false, holds: false };
  return { group, floor, lamp, centre, span, edge: path(0.95), shown };
}

// The distance of a point from the line through two others.
function distance([x, y], [x1, y1], [x2, y2]) {
  return Math.abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / Math.hypot(x2 - x1, y2 - y1);
}

// Only what has changed touches the document.
export function showCell({ group, lamp, shown }, now) {
  if (now.lamp !== shown.lamp) lamp.setAttribute("class", `lamp lamp-${now.lamp}`);
  if (now.said !== shown.said) group.setAttribute("aria-label", now.said);
  if (now.isUnsure !== shown.isUnsure) group.classList.toggle("unsure", now.isUnsure);
  if (now.holds !== shown.holds) group.classList.toggle("holds", now.holds);
  Object.assign(shown, now);
}

// Two shades, so that neighbours differ: by file and rank, or by the two distances in a wedge
// cell's name.
export function isDark(name, index, files) {
  const [across, along] = files ? [index % files, Math.floor(index / files)] : name.slice(-2);
  return (Number(across) + Number(along)) % 2 === 0;
}

// The cell for an arrow key: the nearest one that lies more in that direction than to either side.
export function neighbour(places, index, [dx, dy]) {
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
