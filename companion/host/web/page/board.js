// SPDX-License-Identifier: Apache-2.0
// The board as SVG, from the outlines of its cells. Draws one page state at a time and keeps none.

import { isDark, makeCell, neighbour, showCell } from "./cells.js";
import { corners, edges } from "./coordinates.js";
import { drawMenu } from "./menu.js";
import { makeStage } from "./motion.js";
import { makePicker } from "./picker.js";
import { drawPiece } from "./pieces.js";
import { seen } from "./standing.js";
import { svg } from "./svg.js";
import { makeTurner } from "./turner.js";

const MARGIN_MM = 4;
const FILL = 0.92; // share of a cell that its piece covers
const HAND_SIZE = 1.12; // of a piece in the hand
const FINGER_SIZE = 1.5; // of a piece under a finger, and by how many cells it is shown above it
const FINGER_RISE = 0.6;

// *coordinates* are "out" beside the board, "in" on its cells, or "off". A flipped board is seen from
// its far end.
export function makeBoard(root, table, coordinates = "out", isFlipped = false) {
  const { bounds_mm: bounds, files, obstacles, border, directions } = table.grid;
  const way = isFlipped ? -1 : 1;
  const cells = table.grid.cells.map((cell) => ({ ...cell, outline: cell.outline.map(([x, y]) => [way * x, way * y]) }));
  const [left, near, right, far] = isFlipped ? [-bounds[2], -bounds[3], -bounds[0], -bounds[1]] : bounds;
  const gutter = files && coordinates === "out" ? Math.max(right - left, far - near) / 26 : 0; // for names
  const width = right - left + gutter + 2 * MARGIN_MM;
  const height = far - near + gutter + 2 * MARGIN_MM;
  root.replaceChildren();
  root.setAttribute("viewBox", `${left - gutter - MARGIN_MM} ${-far - MARGIN_MM} ${width} ${height}`);
  root.setAttribute("aria-label", table.labels.board);
  root.parentElement.style.setProperty("--ratio", width / height);

  const hasNames = !files && coordinates !== "off";
  const places = cells.map((cell, index) => makeCell(cell, index, hasNames));
  obstacles.forEach((cell) => places[cell].group.append(block(places[cell])));
  border.forEach((cell) => places[cell].group.classList.add("outside")); // the board is smaller than its rectangle
  const regions = svg("g", { class: "regions" });
  const marks = svg("g", { class: "marks" });
  const pieces = svg("g", { class: "pieces" });
  const hand = svg("g", { class: "hand" });
  const menu = svg("g", { class: "menu" });
  const pointed = svg("g", { class: "pointed" });
  const taps = svg("g", { class: "taps", "aria-hidden": "true" });
  const handle = svg("g", { class: "ring-handle", "aria-hidden": "true" });
  root.append(
    files ? frame(left - gutter, -far, right - left + gutter, far - near + gutter) : rim(cells),
    ...(gutter ? edges(cells, places, files, [left, -near], gutter) : []),
    ...places.map((place) => place.group),
    ...(files && coordinates === "in" ? corners(cells, places, files, isFlipped) : []),
    regions,
    marks,
    pieces,
    menu,
    pointed,
    taps,
    handle,
    hand,
  );
  let setOff = "";
  let drawn = "";

  const turn = 360 / directions;

  function scale(index) {
    return (places[index].span * FILL) / 100;
  }

  function extent(piece) {
    return [0, 1].map((axis) => {
      const along = piece.cells.map((cell) => places[cell].centre[axis]);
      return [Math.min(...along), Math.max(...along)];
    });
  }

  // A piece with a front faces the other way on a flipped board.
  const posed = (piece) =>
    isFlipped && piece.facing !== null ? { ...piece, facing: (piece.facing + directions / 2) % directions } : piece;

  function putPiece(piece) {
    const { span } = places[piece.cells[0]];
    const [[x, wide], [y, high]] = extent(piece).map(([least, most]) => [
      (least + most) / 2,
      Math.round((most - least) / span) + 1,
    ]);
    const drawn = drawPiece(posed(piece), { wide, high, turn });
    drawn.setAttribute("transform", `translate(${x} ${y}) scale(${scale(piece.cells[0])})`);
    return drawn;
  }

  const stage = makeStage(pieces, {
    put: putPiece,
    spot: (piece) => extent(piece).map(([least, most]) => (least + most) / 2),
  });

  // A long piece hangs from the cell by which it was lifted.
  function drawHeld(held) {
    const [[x, wide], [y, high]] = [0, 1].map((axis) => {
      const along = held.shape.map((at) => way * at[axis]);
      const [least, most] = [Math.min(...along), Math.max(...along)];
      return [(least + most) / 2, most - least + 1];
    });
    const drawn = drawPiece(posed(held), { wide, high, turn });
    drawn.setAttribute("transform", `translate(${(x * 100) / FILL} ${(-y * 100) / FILL})`);
    return drawn;
  }

  function draw(picture) {
    const { view, virtual, lamps, camera, menu: offered = [] } = picture;
    const unsure = new Set(camera?.cells ?? []);
    const standing = virtual ? virtual.pieces : seen(view);
    drawRegions(view.regions);
    drawMenu(menu, places, offered);
    const byCell = new Map(standing.flatMap((piece) => piece.cells.map((cell) => [cell, piece])));
    const said = labels(byCell, view, offered);
    places.forEach((place, index) => {
      showCell(place, {
        lamp: lamps.cells[index] ?? 0,
        said: said[index],
        isUnsure: unsure.has(index), // the camera cannot judge it
        holds: Boolean(virtual) && byCell.has(index),
      });
    });
    trace(view.record?.at(-1));
    const held = virtual?.hand ?? null;
    over = virtual?.over ?? null;
    const stood = JSON.stringify(standing);
    if (stood !== drawn) {
      drawn = stood;
      stage.show(standing, { left: inHand && !held ? { piece: inHand, spot: handAt } : null, held });
    }
    if (held?.facing === aimed || !held) aimed = null;
    const shown = JSON.stringify([held, over]);
    if (shown !== handed) showHeld(held), (handed = shown);
    inHand = held;
    drawMarks(view.targets.map((cell) => [cell, byCell.has(cell)]), view.guides.filter((g) => !g.is_part));
    root.classList.toggle("holding", Boolean(held));
    root.classList.toggle("turns", Boolean(virtual) && !held);
    below?.classList.toggle("under-hand", Boolean(held));
    if (held) moveHand(handSpot(held));
  }

  function drawMarks(targets, guides) {
    const text = JSON.stringify([targets, guides]);
    if (text === marked) return;
    marked = text;
    marks.replaceChildren(...targets.map(([cell, isCapture]) => target(cell, isCapture)), ...guides.map(arrow));
  }

  function showHeld(held) {
    const turned = held && aimed !== null ? { ...held, facing: aimed } : held;
    hand.replaceChildren(...(turned ? [drawHeld(turned)] : []));
    turner.show(turned?.came_from ?? null, turned?.pose === "standing" && over === null ? turned.facing : null);
  }

  // Tints the cells of the last move. Where there is no record, the cells are left as they are.
  function trace(move) {
    if (move === undefined && !traced.length) return;
    traced.forEach((cell) => places[cell].group.classList.remove("last"));
    traced = move ? [...move.source, ...move.target] : [];
    traced.forEach((cell) => places[cell].group.classList.add("last"));
  }

  let traced = [];
  let inHand = null;
  let over = null; // the cell over which the held piece waits for the choice of its move
  let handed = ""; // the hand as it was drawn
  let marked = ""; // targets and guides as they were drawn
  let below = null; // the cell below the mouse
  let tabbed = 0; // the cell that the tab key reaches
  let landing = -1; // the cell that is marked
  let aimed = null; // the facing to which the held piece is being turned
  let arrowed = null; // the piece whose turn arrows are shown
  let handAt = [0, 0];
  let pointer = null;
  let isFinger = false; // which hides what is below it

  function handSpot(held) {
    if (over !== null) return places[over].centre;
    if (pointer) return pointer;
    const isKeyed = root.classList.contains("keys");
    const focused = isKeyed ? places.findIndex((place) => place.group === document.activeElement) : -1;
    const cell = focused >= 0 ? focused : held.came_from;
    return cell === null ? [left, -near] : [places[cell].centre[0], places[cell].centre[1] - places[cell].span * 0.18];
  }

  // Where *event* is on the board.
  function spotOf({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(root.getScreenCTM().inverse());
    return [x, y];
  }

  function moveHand([x, y]) {
    handAt = isFinger && over === null ? [x, y - places[0].span * FINGER_RISE] : [x, y];
    const size = scale(0) * (over !== null ? 1 : isFinger ? FINGER_SIZE : HAND_SIZE);
    hand.setAttribute("transform", `translate(${handAt.join(" ")}) scale(${size})`);
  }

  // Shaded regions are dark in place of the chequered cells; owned ones have a colour, a border and
  // a number.
  function drawRegions(wanted) {
    const text = JSON.stringify(wanted);
    if (text === setOff) return;
    setOff = text;
    const shaded = new Set(wanted.filter((region) => region.shaded).flatMap((region) => region.cells));
    places.forEach((place, index) => {
      const isShaded = shaded.size ? shaded.has(index) : isDark(cells[index].name, index, files);
      place.floor.setAttribute("class", isShaded ? "floor dark" : "floor");
    });
    regions.replaceChildren(...wanted.filter((region) => !region.shaded).map((region) => drawRegion(region, cells, places)));
  }

  // What a screen reader says of each cell.
  function labels(byCell, view, offered) {
    const said = cells.map(({ name }) => [name]);
    const owners = new Map(view.regions.flatMap((region) => region.cells.map((cell) => [cell, region.side])));
    byCell.forEach((piece, cell) => said[cell].push(piece.name, table.sides[piece.side ?? owners.get(cell)]?.name));
    view.targets.forEach((cell) => said[cell].push(table.labels.target));
    view.guides.forEach(({ source, target, sentence }) => {
      [source, target].forEach((cell) => cell !== null && said[cell].push(sentence));
    });
    offered.forEach(({ cell, name }) => said[cell].push(name));
    return said.map((parts) => (parts[1] ? [...new Set(parts.filter(Boolean))].join(", ") : parts[0])); // the Sword is a piece and a side
  }

  function target(cell, isCapture) {
    const [cx, cy] = places[cell].centre;
    const r = places[cell].span * (isCapture ? 0.45 : 0.11);
    return svg("circle", { class: isCapture ? "target capture" : "target", cx, cy, r });
  }

  function arrow(guide) {
    if (guide.source !== null && guide.source === guide.target) {
      const transform = `translate(${places[guide.source].centre.join(" ")}) scale(${scale(guide.source)})`;
      return svg("path", { class: "guide round", d: "M-24 24A34 34 0 1 1 24 24M24 2V24H46", transform });
    }
    if (guide.source === null || guide.target === null) {
      const cell = guide.source ?? guide.target;
      const ghost = guide.source === null ? drawPiece(posed(guide), { turn }) : svg("path", { class: "cross", d: "M-30-30 30 30M30-30-30 30" });
      const [x, y] = places[cell].centre;
      ghost.setAttribute("transform", `translate(${x} ${y}) scale(${scale(cell)})`);
      ghost.classList.add("guide");
      return ghost;
    }
    return drawWay(guide.source, guide.target, "guide arrow");
  }

  function drawWay(source, target, name = "way") {
    const [[x1, y1], [x2, y2]] = [places[source].centre, places[target].centre];
    const long = Math.hypot(x2 - x1, y2 - y1);
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const head = places[target].span * 0.28;
    const d = `M0-2H${long - head}V${-head / 2}L${long} 0 ${long - head} ${head / 2}V2H0Z`;
    return svg("path", { class: name, d, transform: `translate(${x1} ${y1}) rotate(${angle})` });
  }

  const edgesOfBoard = [left, -far, right, -near];
  const picker = makePicker(taps, { root, places, edges: edgesOfBoard, turn, isFlipped, posed, arrow: drawWay, isHeld: () => Boolean(inHand) });
  const angle = (facing) => turn * facing + (isFlipped ? 180 : 0);
  const turner = makeTurner(handle, { root, places, directions, within: picker.inSight, angle });

  return {
    root,
    // Gets the events of *event*'s pointer until it is released; with the cursor of a held piece.
    capture: (event) => hand.setPointerCapture(event.pointerId),
    directions,
    span: places[0].span,
    draw,
    cellAt: (element) => Number(element?.closest?.("[data-cell]")?.dataset.cell ?? -1),
    focus(index) {
      places[tabbed].group.setAttribute("tabindex", -1);
      places[index].group.setAttribute("tabindex", 0);
      places[index].group.focus();
      tabbed = index;
    },
    // Marks the cell on which a dragged piece would land; -1 for none.
    mark(index) {
      if (index === landing) return;
      places[landing]?.group.classList.remove("over");
      places[index]?.group.classList.add("over");
      landing = index;
    },
    // How far *event* is from the centre of *cell*, in cells, and the facing that points there.
    aim(event, cell) {
      const { centre: [x, y], span } = places[cell];
      const [px, py] = spotOf(event);
      const turns = Math.atan2(px - x, y - py) / (2 * Math.PI) + (isFlipped ? 1.5 : 1);
      return { far: Math.hypot(px - x, py - y) / span, facing: Math.round(turns * directions) % directions };
    },
    // Shows the piece on *cell* with another facing, until it is drawn again.
    turn(cell, facing) {
      stage.at(cell)?.querySelector(".hull")?.setAttribute("transform", `rotate(${angle(facing)})`);
    },
    isOnHandle: (event) => turner.isAt(spotOf(event)),
    // Turns the held piece by its handle towards *event*, as long as it has not been drawn so; returns the facing.
    turnHeld(event) {
      aimed = event && turner.aim(spotOf(event));
      showHeld(inHand);
      return aimed;
    },
    // The mouse is over *cell*, whose piece shows its turn arrows; -1 for none.
    hover(cell) {
      below?.classList.remove("under-hand");
      below = places[cell]?.group;
      below?.classList.toggle("under-hand", Boolean(inHand));
      const piece = stage.at(cell);
      if (piece === arrowed) return;
      arrowed?.classList.remove("shows-arrows");
      piece?.classList.add("shows-arrows");
      arrowed = piece;
    },
    // Highlights exactly *cells*.
    point(meant) {
      pointed.replaceChildren(...meant.map((cell) => svg("path", { d: places[cell].edge, "stroke-width": places[cell].span * 0.09 })));
    },
    // Draws the choices of a question where they are; *answer* gets the number of the one that is tapped.
    ask: picker.show,
    askAgain() {
      picker.again();
      showHeld(inHand);
    },
    neighbour: (index, direction) => neighbour(places, index, direction),
    follow(event) {
      pointer = event && spotOf(event);
      isFinger = event?.pointerType === "touch";
      if (pointer && over === null) moveHand(pointer);
    },
  };
}

function frame(x, y, width, height) {
  const m = MARGIN_MM * 0.7;
  return svg("rect", { class: "frame", x: x - m, y: y - m, width: width + 2 * m, height: height + 2 * m, rx: m });
}

// A board of another shape has the same margin everywhere.
function rim(cells) {
  const d = cells.map(({ outline }) => `M${outline.map(([x, y]) => `${x} ${-y}`).join("L")}Z`).join("");
  return svg("path", { class: "frame rim", d, "stroke-width": 1.8 * MARGIN_MM });
}

// Obstacles printed on the board.
function block({ centre: [x, y], span }) {
  const size = span * 0.78;
  return svg("rect", { class: "obstacle", x: x - size / 2, y: y - size / 2, width: size, height: size, rx: span * 0.12 });
}

// A region: tinted cells, a line along its outer edges, and its owner's number.
function drawRegion({ cells: inside, side }, cells, places) {
  const sign = ([x, y]) => `${x.toFixed(1)} ${(-y).toFixed(1)}`;
  const lines = new Map();
  inside.forEach((cell) => {
    const { outline } = cells[cell];
    outline.forEach((corner, index) => {
      const ends = [sign(corner), sign(outline[(index + 1) % outline.length])];
      const key = [...ends].sort().join(" ");
      if (!lines.delete(key)) lines.set(key, `M${ends[0]}L${ends[1]}`);
    });
  });
  const { span } = places[inside[0]];
  const drawn = svg("g", { class: side === null ? "region" : `region owner-${side}` });
  if (side !== null) {
    const tint = inside.map((cell) => `M${cells[cell].outline.map(sign).join("L")}Z`).join("");
    drawn.append(svg("path", { class: "tint", d: tint }));
  }
  drawn.append(svg("path", { class: "border", d: [...lines.values()].join(""), "stroke-width": span * 0.06 }));
  if (side !== null) {
    const [x, y] = [0, 1].map((axis) => inside.reduce((sum, cell) => sum + places[cell].centre[axis], 0) / inside.length);
    drawn.append(svg("text", { class: "owner", x, y, "font-size": span * 0.8 }, side + 1));
  }
  return drawn;
}
