// SPDX-License-Identifier: Apache-2.0
// Converts mouse, touch and keys to hand motions at a virtual table; the board of a real table
// cannot be changed here. The server knows what a hand finds, so no input waits for the next page
// state, and no key is lost. Which fingers zoom, and which tap, is decided in zoom.js.

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const NOSE = 0.27; // in cells from its centre: here a piece with a front is turned, not lifted
const BESIDE = "#near, #far, #tray, #box"; // drop targets for a piece that leaves the board

// Meaning of a key for the piece in the hand, or for the one under the focus.
const KEYS = {
  Enter: "Touch",
  " ": "Touch",
  Escape: "PutBack",
  r: "Turn",
  f: "Flip",
  Delete: "PutAway",
  Backspace: "PutAway",
};

export function attachHands(board, picture, send) {
  document.onkeydown = () => board.root.classList.add("keys");
  let drag = null;
  let turning = null; // a piece that is dragged by its nose, or the held one, by its handle
  let last = 0;
  let before = null; // the page state at the last motion of the hand
  let isMine = false; // whether this page moves the hand
  const virtual = () => picture()?.virtual;
  const isAsked = () => (virtual()?.over ?? null) !== null; // how the held piece completes its move
  const below = (event) => document.elementFromPoint(event.clientX, event.clientY);

  // The number of the only choice of a question that concerns *cell*; null for none or several. A
  // piece that can be lifted is lifted, so that a player who replies before the answer does not
  // answer by that; likewise while the result of the last motion is unknown, since the hand may
  // hold a piece.
  function choice(cell) {
    const isCovered = virtual()?.pieces.some((piece) => piece.cells.includes(cell));
    const isFree = isAsked() || !(virtual()?.hand || isCovered);
    const choices = (isFree && picture() !== before && picture().view.question?.choices) || [];
    const fitting = choices.flatMap(({ cells }, index) => (cells.includes(cell) ? [index] : []));
    return fitting.length === 1 ? fitting[0] : null;
  }

  function act(cell, kind = "Touch", more = {}) {
    const chosen = kind === "Touch" ? choice(cell) : null;
    if (chosen !== null) send("Answer", { ply: picture().view.question.ply, choice: chosen });
    else if (virtual()) send(kind, { cell, ...more });
    before = picture();
  }

  function focus(cell) {
    last = cell;
    board.focus(cell);
  }

  // Whether a pointer at *event* lifts or turns a piece.
  function lifts(event) {
    const cell = board.cellAt(event.target);
    return Boolean(virtual()) && !virtual().hand && virtual().pieces.some(({ cells }) => cells.includes(cell));
  }

  // Whether a pointer at *event* takes the handle of the held piece.
  const turns = (event) => (virtual()?.hand?.facing ?? null) !== null && board.isOnHandle(event);

  // A finger has left *cell*: it answers a question or puts the held piece down. False if nothing was to be done.
  function tap(event) {
    const cell = board.cellAt(below(event));
    if (cell < 0 || !picture()) return false;
    board.root.classList.remove("keys");
    focus(cell);
    if (choice(cell) === null && (!virtual() || (!virtual().hand && picture() !== before))) return false;
    isMine = true;
    act(cell);
    return true;
  }

  function letGo() {
    board.mark(-1);
    if (turning?.cell === null) board.turnHeld(null);
    else if (turning) board.turn(turning.cell, turning.from);
    turning = null;
    if (drag?.cell >= 0) send("PutBack"); // a second finger: zoom
    drag = null;
  }

  // A finger that taps the target of a held piece does not carry it there: the piece glides.
  function hold(event, from) {
    board.root.classList.remove("keys");
    board.capture(event);
    if (from || event.pointerType !== "touch") board.follow(event);
    drag = from;
    isMine = true;
  }

  // The piece whose nose is under *event*; null for none.
  function nose(event, cell) {
    const piece = virtual()?.pieces.find(({ cells }) => cells.includes(cell));
    if (!piece || virtual().hand || piece.facing === null) return null;
    const { far, facing } = board.aim(event, cell);
    return far > NOSE && facing === piece.facing ? { cell, from: facing, to: facing } : null;
  }

  // A nose that was dragged straight ahead pulls the piece along. A handle that was not dragged is not meant.
  function endTurn(event) {
    const { cell, from, to, hasMoved } = turning;
    const over = board.cellAt(below(event));
    turning = null;
    const ahead = (to - from + board.directions) % board.directions;
    const back = ahead > board.directions / 2;
    for (let left = back ? board.directions - ahead : ahead; left > 0; left -= 1) send("Turn", { cell, back });
    if (cell === null) {
      if (!hasMoved && over >= 0) act(over);
    } else if (to === from && over >= 0) {
      send("Touch", { cell });
      if (over !== cell) send("Drop", { cell: over });
    }
  }

  function startTurn(event) {
    const { facing } = virtual().hand;
    board.root.setPointerCapture(event.pointerId);
    board.follow(null);
    turning = { cell: null, from: facing, to: facing, hasMoved: false };
  }

  function turnOn(event) {
    const to = turning.cell === null ? board.turnHeld(event) : board.aim(event, turning.cell).facing;
    turning = { ...turning, to, hasMoved: turning.hasMoved || to !== turning.from };
    if (turning.cell !== null) board.turn(turning.cell, to);
  }

  board.root.onpointerdown = (event) => {
    const cell = board.cellAt(event.target);
    if (event.button > 0 || !picture()) return;
    if (turns(event)) {
      event.preventDefault();
      startTurn(event);
      return;
    }
    if (cell < 0) return;
    event.preventDefault();
    focus(cell);
    turning = choice(cell) === null ? nose(event, cell) : null;
    if (turning) {
      board.root.setPointerCapture(event.pointerId);
      return;
    }
    if (virtual()) hold(event, virtual().hand ? null : { cell, hasMoved: false });
    act(cell);
  };
  board.root.onpointermove = (event) => {
    if (!turning && event.pointerType !== "touch") {
      board.hover(board.cellAt(event.target));
      board.root.classList.toggle("on-handle", turns(event));
    }
    if (turning) turnOn(event);
    if (!virtual() || turning || !isMine) return;
    isMine = Boolean(drag || virtual().hand || picture() === before);
    board.follow(isMine ? event : null);
    board.mark(isMine && event.pointerType === "touch" ? board.cellAt(below(event)) : -1);
    if (drag && board.cellAt(below(event)) !== drag.cell) drag.hasMoved = true;
  };
  board.root.onpointerup = (event) => {
    board.mark(-1);
    if (turning) endTurn(event);
    if (!drag) return;
    const found = below(event);
    const cell = board.cellAt(found);
    drag.hasMoved ||= cell !== drag.cell; // the board has moved
    if (drag.hasMoved && cell >= 0) send("Drop", { cell });
    else if (drag.hasMoved && found?.closest(BESIDE)) send("PutAway");
    drag = null;
  };
  board.root.onpointercancel = letGo;
  board.root.onkeydown = (event) => {
    const cell = board.cellAt(event.target);
    if (cell < 0 || !picture() || event.ctrlKey || event.metaKey || event.altKey) return;
    board.follow(null);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in ARROWS) focus(board.neighbour(cell, ARROWS[key]));
    else if (event.repeat && KEYS[key] === "Touch") event.preventDefault();
    else if (!(key in KEYS)) return;
    else if (key === "Escape" && !virtual()) return;
    else if (key === "Escape") send("PutBack");
    else act(cell, KEYS[key], event.key === "R" ? { back: true } : {});
    event.preventDefault();
    if (event.key in ARROWS && virtual()?.hand) board.draw(picture());
  };

  // A piece was taken from beside the board, by a pointer that may drag it on, or by a key.
  function grab(event) {
    if (event) hold(event, { cell: -1, hasMoved: false });
    else {
      board.follow(null);
      focus(last);
    }
  }

  return { grab, lifts, turns, tap, letGo, follow: board.follow };
}
