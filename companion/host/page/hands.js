// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keys become what hands do at a virtual table. At a real one the board cannot be touched here.

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const BESIDE = "#near, #far, #tray, #box"; // where a piece is dropped that leaves the board

// What a key means for the piece in the hand, or for the one under the focus.
const KEYS = {
  r: (where) => ["Turn", where],
  R: (where) => ["Turn", { ...where, back: true }],
  f: (where) => ["Flip", where],
  F: (where) => ["Flip", where],
  Delete: (where) => ["PutAway", where],
  Backspace: (where) => ["PutAway", where],
};

export function attachHands(board, picture, send) {
  document.onkeydown = () => board.root.classList.add("keys");
  let drag = null;
  let last = 0;
  const wood = () => picture()?.wood;
  const covered = (cell) => wood().pieces.some((piece) => piece.cells.includes(cell));
  const below = (event) => document.elementFromPoint(event.clientX, event.clientY);

  function act(cell) {
    if (wood().hand) send("Drop", { cell });
    else if (covered(cell)) send("Lift", { cell });
  }

  function focus(cell) {
    last = cell;
    board.focus(cell);
  }

  function hold(event, from) {
    board.root.classList.remove("keys");
    board.root.setPointerCapture(event.pointerId);
    board.follow(event);
    drag = from;
  }

  board.root.onpointerdown = (event) => {
    const cell = board.cellAt(event.target);
    if (cell < 0 || event.button > 0 || !wood()) return;
    event.preventDefault();
    focus(cell);
    hold(event, wood().hand ? null : { cell, hasMoved: false });
    act(cell);
  };
  board.root.onpointermove = (event) => {
    if (!wood()) return;
    board.follow(event);
    if (drag && board.cellAt(below(event)) !== drag.cell) drag.hasMoved = true;
  };
  board.root.onpointerup = (event) => {
    if (!drag) return;
    const cell = board.cellAt(below(event));
    if (drag.hasMoved && cell >= 0) send("Drop", { cell });
    else if (drag.hasMoved && below(event)?.closest(BESIDE)) send("PutAway");
    drag = null;
  };
  board.root.onpointercancel = () => (drag = null);
  board.root.onkeydown = (event) => {
    const cell = board.cellAt(event.target);
    if (cell < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    board.follow(null);
    if (event.key in ARROWS) focus(board.neighbour(cell, ARROWS[event.key]));
    else if (!wood()) return;
    else if (event.key === "Enter" || event.key === " ") act(cell);
    else if (event.key === "Escape") send("PutBack");
    else if (event.key in KEYS) send(...KEYS[event.key](wood().hand ? {} : { cell }));
    else return;
    event.preventDefault();
    if (event.key in ARROWS && wood()?.hand) board.draw(picture());
  };

  // A piece was taken from beside the board: by a pointer that may drag it on, or by a key.
  return (event) => {
    if (event) hold(event, { cell: -1, hasMoved: false });
    else {
      board.follow(null);
      focus(last);
    }
  };
}
