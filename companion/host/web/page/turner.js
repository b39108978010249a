// SPDX-License-Identifier: Apache-2.0
// The handle of a held piece that has a front: a ring round the cell from which it was lifted, with an
// arrow that is dragged round it.

import { FINGER_PX, pixel } from "./boardsize.js";
import { svg } from "./svg.js";

const RADIUS = 0.95; // in cells
const ARROW = 0.2;
const ARROW_PX = 11;
const BOTH_WAYS = "M-36 0-12-22V-8H12V-22L36 0 12 22V8H-12V22Z";

// *within* moves a centre so that a radius fits what is seen of the board; *angle* is how a facing is
// drawn, in degrees.
export function makeTurner(layer, { root, places, directions, within, angle }) {
  let centre = null;
  let arrow = null; // its place, and how near a pointer has to be
  let placed = ""; // what the centre depends on
  let shown = "";

  // *facing* of the piece that was lifted from *cell*; null shows nothing.
  function show(cell, facing) {
    const isShown = cell !== null && facing !== null;
    const place = isShown ? `${cell} ${root.getAttribute("viewBox")} ${pixel(root)}` : "";
    const key = `${place} ${facing}`;
    if (key === shown) return;
    shown = key;
    arrow = null;
    if (!isShown) layer.replaceChildren();
    else draw(cell, facing, place !== placed);
    placed = place;
  }

  function draw(cell, facing, isElsewhere) {
    const { span } = places[cell];
    const finger = (FINGER_PX * pixel(root)) / 2;
    const far = Math.max(RADIUS * span, finger + 0.6 * span);
    const size = Math.max(ARROW * span, ARROW_PX * pixel(root));
    if (isElsewhere) centre = near(places[cell].centre, far, facing, size);
    const [x, y] = centre;
    const spot = onRing(centre, far, facing);
    arrow = { spot, reach: Math.max(finger, size) };
    const transform = `translate(${spot.join(" ")}) rotate(${angle(facing)})`;
    layer.replaceChildren(
      svg("circle", { class: "round", cx: x, cy: y, r: far, "stroke-width": span * 0.05 }),
      svg(
        "g",
        { class: "turner", transform },
        svg("circle", { class: "disc", r: size, "stroke-width": size * 0.16 }),
        svg("path", { class: "head", d: BOTH_WAYS, transform: `scale(${size / 46})` }),
      ),
    );
  }

  function onRing([x, y], far, facing) {
    const radians = (angle(facing) * Math.PI) / 180;
    return [x + far * Math.sin(radians), y - far * Math.cos(radians)];
  }

  // A centre from which the arrow is seen whole: that of the cell, unless the arrow would be beyond the edge.
  function near([x, y], far, facing, size) {
    const spot = onRing([x, y], far, facing);
    const seen = within(spot, size);
    return [x + seen[0] - spot[0], y + seen[1] - spot[1]];
  }

  // The facing in the direction of a place.
  function aim([px, py]) {
    const [x, y] = centre;
    const degrees = (Math.atan2(px - x, y - py) * 180) / Math.PI - angle(0) + 720;
    return Math.round((degrees * directions) / 360) % directions;
  }

  const isAt = ([x, y]) => arrow !== null && Math.hypot(x - arrow.spot[0], y - arrow.spot[1]) <= arrow.reach;

  return { show, aim, isAt };
}
