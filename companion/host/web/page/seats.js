// SPDX-License-Identifier: Apache-2.0
// The players at the table: name, turn, points, clock, and the pieces before each side, which can
// be taken at a virtual table.

import { face, now } from "./clocks.js";
import { el } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { svg } from "./svg.js";
import { playerOf } from "./words.js";

// On a flipped board the first side is at the far end.
export function makeSeats(table, send, grab, isFlipped = false) {
  const { labels, sides } = table;
  const [far, near] = ["far", "near"].map((id) => document.getElementById(id));
  const seats = sides.map(makeSeat);
  const roots = seats.map(({ root }) => root);
  const nearest = isFlipped ? roots.slice(1) : roots.slice(0, 1);
  near.replaceChildren(...nearest);
  far.replaceChildren(...roots.filter((root) => !nearest.includes(root)));
  const box = document.getElementById("box");
  let shown = null;
  let since = 0;

  function makeSeat({ name }, side) {
    const parts = Object.fromEntries(["chip", "name", "points", "clock", "lies"].map((part) => [part, el("span", { class: part })]));
    const who = playerOf(table, side);
    parts.name.textContent = parts.name.title = who ? `${who} · ${name}` : name;
    parts.chip.append(svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, svg("g", { class: `piece side-${side}` }, chip(side))));
    const done = { class: "done", type: "button", "aria-label": `${labels.done}: ${name}`, onclick: () => send("PressClock", { side }) };
    parts.done = el("button", done, labels.done);
    const inside = ["chip", "name", "lies", "points", "done", "clock"].map((part) => parts[part]);
    const root = el("div", { class: `seat owner-${side}`, role: "group", "aria-label": name }, ...inside);
    return { root, parts, lies: "" };
  }

  // Equal pieces form a heap, identified by the index of its first piece in the box.
  function heaps(pieces) {
    const found = new Map();
    pieces.forEach(({ piece, index }) => {
      const key = `${piece.kind} ${piece.side} ${piece.pose}`;
      if (found.has(key)) found.get(key).count += 1;
      else found.set(key, { piece, index, count: 1 });
    });
    return [...found.values()];
  }

  function heap({ piece, index, count }, canTake) {
    const made = el(canTake === null ? "span" : "button", { class: "heap" });
    const picture = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, drawPiece(piece));
    made.append(picture, ...(hasCaption(piece) ? [caption(piece.name)] : []), ...(count > 1 ? [badge(count)] : []));
    const said = `${piece.name}${count > 1 ? ` ×${count}` : ""}`;
    if (canTake === null) {
      made.setAttribute("role", "img");
      made.setAttribute("aria-label", said);
      return made;
    }
    made.setAttribute("aria-label", `${labels.box}: ${said}`);
    made.type = "button";
    made.disabled = !canTake;
    made.addEventListener("pointerdown", (event) => {
      if (event.button > 0 || made.disabled) return;
      event.preventDefault();
      send("Take", { index });
      grab(event);
    });
    made.addEventListener("click", (event) => {
      if (event.detail) return; // already taken by a pointer
      send("Take", { index });
      grab(null);
    });
    return made;
  }

  // Redrawn only when the pieces change, so that a button keeps the focus.
  function lay(holder, pieces, canTake) {
    const key = JSON.stringify([pieces, canTake]);
    if (holder.lies === key) return;
    holder.lies = key;
    const place = holder.parts?.lies ?? box;
    if (pieces.some(({ piece }) => hasCaption(piece))) place.classList.add("captioned"); // its height stays
    place.replaceChildren(...heaps(pieces).map((each) => heap(each, canTake)));
  }

  const common = { lies: "" };

  // *beside*: what lies beside the board; at a virtual table that is known, elsewhere it follows from the moves.
  function draw(picture) {
    const { view, virtual, takes_presses: takesPresses, beside = virtual?.box, now_ms: sent } = picture;
    const { canTake = virtual ? !virtual.hand : null } = picture;
    shown = view;
    since = performance.now() - (view.clocks.length ? sent - (view.clocks[0]?.at_ms ?? 0) : 0);
    const pieces = [...view.pieces, ...view.hands.flat()];
    const isSided = pieces.every((piece) => piece.side !== null);
    const hasNamedHands = view.hands.length > 0 && pieces.every(hasCaption); // also if all are empty
    const boxed = (beside ?? [...view.hands.flat(), ...view.captured]).map((piece, index) => ({ piece, index }));
    box.classList.toggle("lain", !isSided);
    near.classList.toggle("beside-box", !isSided);
    seats.forEach((seat, side) => {
      const { root, parts } = seat;
      const isTurn = view.turn === side && !view.outcome;
      root.classList.toggle("turn", isTurn);
      root.classList.toggle("won", Boolean(view.outcome?.winners.includes(side)));
      if (isTurn) root.setAttribute("aria-current", "true");
      else root.removeAttribute("aria-current");
      parts.chip.hidden = !isSided;
      const points = view.scores[side];
      parts.points.textContent = points === undefined ? "" : points;
      parts.points.title = labels.points;
      const isStarter = view.clock_start === "move" && !isTurn; // a command does the same for everybody
      parts.done.hidden = !takesPresses || !view.pressers.includes(side) || isStarter;
      parts.lies.classList.toggle("lain", isSided);
      if (hasNamedHands) parts.lies.classList.add("captioned");
      lay(seat, boxed.filter(({ piece }) => piece.side === side), canTake);
    });
    if (takesPresses && view.pressers.length) roots.forEach((root) => root.classList.add("presses"));
    lay(common, boxed.filter(({ piece }) => piece.side === null), canTake);
    if (!view.clocks.length) seats.forEach(({ parts }) => (parts.clock.textContent = ""));
    tell();
  }

  // The clocks run by the browser's clock between two page states.
  function tell() {
    shown?.clocks.forEach((clock, side) => {
      const { root, parts } = seats[side];
      if (!clock) {
        parts.clock.textContent = ""; // of a kept game whose times are not known
        return;
      }
      const seen = now(clock, performance.now() - since);
      const text = face(seen);
      if (parts.clock.textContent !== text) parts.clock.textContent = text;
      root.classList.toggle("runs", clock.is_running);
      root.classList.toggle("fallen", seen.left_ms === 0 && seen.spans === 0);
    });
  }

  return { draw, tell };
}

function chip(side) {
  return side === 0 ? svg("circle", { class: "token", r: 42 }) : svg("rect", { class: "token", x: -40, y: -40, width: 80, height: 80, rx: 12 });
}

const hasCaption = ({ pose }) => pose !== "standing";

function caption(text) {
  return el("small", { class: "caption" }, ...text.split("/").flatMap((part, index) => (index ? [el("br"), part] : [part])));
}

function badge(count) {
  return el("b", { class: "badge" }, `×${count}`);
}
