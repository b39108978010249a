// SPDX-License-Identifier: Apache-2.0
// A part of the board, enlarged: by two fingers, by tapping twice where no piece stands, or by a button.
// One finger then moves the part, unless it carries a piece, which moves the part at its edges.

import { pixel, watchSize } from "./boardsize.js";

const TAP_PX = 10; // a finger that moves less has tapped
const TWICE_MS = 350; // between two taps
const TWICE_PX = 40;
const CELL_PX = 48; // width of a cell after tapping twice
const TINY_PX = 34; // smaller cells are offered a button
const LEAST = 2; // times
const MOST = 6;
const EDGE = 0.13; // share of the part where a carried piece moves it
const SPEED = 0.02; // of the part in one frame
const BUTTON_PX = 56; // below the board, so that the button in the corner hides no cell
const GLIDE_MS = 150;

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const between = (least, value, most) => Math.min(Math.max(value, least), most);

// *hands()* converts pointers to motions of pieces; *changed* is called after each change of the part.
export function makeZoom(root, buttons, { hands, changed }) {
  let full = null; // [left, top, width, height] of the whole board, in its units
  let part = null; // what is shown of it
  let span = 1; // of a cell
  let pointers = new Map(); // those that are down on the board, by number
  let lone = null; // the pointer that may tap or move the part
  let pair = null; // two fingers, as they began
  let carrier = null; // the pointer that lifted a piece
  let tapped = null; // the last tap that did nothing else
  let gliding = 0;

  const scale = () => full[2] / part[2];
  const isOn = () => Boolean(full) && scale() > 1.001;
  const unit = () => 1 / root.getScreenCTM().a; // of the board in a pixel
  const cellWidth = () => span / (pixel(root) * scale()); // on the whole board, in pixels
  const far = (one, other) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);

  function show([left, top, width]) {
    const wide = between(full[2] / MOST, width, full[2]);
    const high = (wide * full[3]) / full[2];
    const x = between(full[0], left, full[0] + full[2] - wide);
    const room = wide < full[2] ? (BUTTON_PX * unit() * wide) / part[2] : 0;
    const y = between(full[1], top, full[1] + full[3] - high + room);
    part = [x, y, wide, high];
    root.setAttribute("viewBox", part.join(" "));
    tell();
    changed();
  }

  function tell() {
    document.body.classList.toggle("zoomed", isOn());
    document.body.classList.toggle("tiny", cellWidth() < TINY_PX);
    buttons.forEach((button) => button.setAttribute("aria-pressed", isOn()));
  }

  function spotOf({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(root.getScreenCTM().inverse());
    return [x, y];
  }

  // A share of the board, with *spot* where *from* has it.
  function around([x, y], times, from) {
    const [wide, high] = [full[2] / times, full[3] / times];
    return [x - ((x - from[0]) / from[2]) * wide, y - ((y - from[1]) / from[3]) * high, wide, high];
  }

  function glide(target) {
    cancelAnimationFrame(gliding);
    const [from, since] = [part, performance.now()];
    function step(now) {
      const share = calm.matches ? 1 : between(0, (now - since) / GLIDE_MS, 1);
      show(from.map((value, at) => value + (target[at] - value) * share));
      if (share < 1) gliding = requestAnimationFrame(step);
    }
    step(since);
  }

  function toggle(spot) {
    if (isOn()) glide(full);
    else glide(around(spot, between(LEAST, CELL_PX / cellWidth(), MOST), part));
  }

  function down(event) {
    if (event.button > 0 || !full || (event.pointerType === "mouse" && !isOn())) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      hands().letGo();
      lone = carrier = null;
      pair = { ...measured(), part };
    } else if (pointers.size === 1 && !event.target.closest(".tap") && !hands().turns(event)) {
      if (hands().lifts(event)) carry(event);
      else lone = { event, part, hasMoved: false };
    }
    if (!lone && !pair) return;
    root.setPointerCapture(event.pointerId);
    take(event);
  }

  // Two fingers: the middle between them, its place on the board, and how far they are apart.
  function measured() {
    const [one, other] = [...pointers.values()];
    const middle = { clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 };
    return { middle, spot: spotOf(middle), apart: Math.max(far(one, other), 1) };
  }

  function move(event) {
    if (!pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, event);
    if (carrier) carrier = { event, hasMoved: carrier.hasMoved || far(event, carrier.event) > TAP_PX };
    if (pair && pointers.size === 2) pinch();
    else if (lone) drag(event);
    if (pair || (lone && isOn())) take(event);
  }

  function pinch() {
    const { middle, apart } = measured();
    const times = between(1, ((full[2] / pair.part[2]) * apart) / pair.apart, MOST);
    const [x, y, wide, high] = around(pair.spot, times, pair.part);
    const pixel = (unit() * wide) / part[2];
    const [right, below] = [middle.clientX - pair.middle.clientX, middle.clientY - pair.middle.clientY];
    show([x - right * pixel, y - below * pixel, wide]);
  }

  function drag(event) {
    lone.hasMoved ||= far(event, lone.event) > TAP_PX;
    if (!lone.hasMoved || !isOn()) return;
    const [right, below] = [event.clientX - lone.event.clientX, event.clientY - lone.event.clientY];
    show([lone.part[0] - right * unit(), lone.part[1] - below * unit(), part[2]]);
  }

  function up(event) {
    if (!pointers.delete(event.pointerId)) return;
    if (lone) tap(event);
    if (!pointers.size) lone = pair = carrier = null;
  }

  // A finger that slides over the whole board puts a piece down where it leaves it.
  function tap(event) {
    const before = tapped;
    tapped = null;
    if (lone.hasMoved && (isOn() || !root.classList.contains("holding"))) return;
    if (hands().tap(event) || lone.hasMoved || event.pointerType === "mouse") return;
    const isTwice = before && event.timeStamp - before.timeStamp < TWICE_MS && far(event, before) < TWICE_PX;
    if (isTwice) toggle(spotOf(event));
    else tapped = event;
  }

  function cancel(event) {
    if (!pointers.delete(event.pointerId)) return;
    lone = carrier = null;
    if (!pointers.size) pair = null;
  }

  function take(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function carry(event) {
    carrier = { event, hasMoved: false };
    if (isOn()) requestAnimationFrame(lean);
  }

  // A piece that is carried to an edge moves the part there.
  function lean() {
    if (!carrier) return;
    const [x, y] = spotOf(carrier.event);
    const [right, below] = [side((x - part[0]) / part[2]), side((y - part[1]) / part[3])];
    if (carrier.hasMoved && (right || below)) {
      show([part[0] + right * SPEED * part[2], part[1] + below * SPEED * part[3], part[2]]);
      hands().follow(carrier.event);
    }
    requestAnimationFrame(lean);
  }

  // Moves the part so that *cell* is seen.
  function reveal(cell) {
    if (!isOn()) return;
    const { x, y, width, height } = cell.getBBox();
    const seen = (value, long, from, all) => between(value + long - all, from, value);
    show([seen(x, width, part[0], part[2]), seen(y, height, part[1], part[3]), part[2]]);
  }

  const acts = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel };
  for (const [name, act] of Object.entries(acts)) root.addEventListener(name, act, true);
  const middle = () => [full[0] + full[2] / 2, full[1] + full[3] / 2];
  buttons.forEach((button) => button.addEventListener("click", () => full && toggle(middle())));
  // On the parent: with a listener of its own an SVG element takes the focus itself.
  root.parentElement.addEventListener("focusin", ({ target }) => {
    if (root.contains(target) && root.classList.contains("keys")) reveal(target);
  });
  watchSize(root, () => {
    if (!full) return;
    tell();
    changed();
  });

  return {
    // A board was drawn, whose cells are *wide*: it is shown whole.
    fit(wide) {
      const { x, y, width, height } = root.viewBox.baseVal;
      cancelAnimationFrame(gliding);
      full = part = [x, y, width, height];
      span = wide;
      pointers = new Map();
      lone = pair = carrier = tapped = null;
      tell();
    },
  };
}

// Where a share of the part is: -1 or 1 at an edge.
function side(share) {
  if (share < EDGE) return -1;
  return share > 1 - EDGE ? 1 : 0;
}
