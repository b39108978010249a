// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keys become what hands do at a virtual table. At a real one the board cannot be touched here.

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export function attachHands(board, picture, send) {
  document.onkeydown = () => board.root.classList.add("keys");
  let drag = null;
  const wood = () => picture()?.wood;
  const covered = (cell) => wood().pieces.some((piece) => piece.cells.includes(cell));

  function act(cell) {
    if (wood().hand) send("Drop", { cell });
    else if (covered(cell)) send("Lift", { cell });
  }

  board.root.onpointerdown = (event) => {
    const cell = board.cellAt(event.target);
    if (cell < 0 || event.button > 0 || !wood()) return;
    event.preventDefault();
    board.root.classList.remove("keys");
    board.root.setPointerCapture(event.pointerId);
    board.focus(cell);
    board.follow(event);
    drag = wood().hand ? null : { cell, hasMoved: false };
    act(cell);
  };
  board.root.onpointermove = (event) => {
    if (!wood()) return;
    board.follow(event);
    if (drag && board.cellAt(document.elementFromPoint(event.clientX, event.clientY)) !== drag.cell) drag.hasMoved = true;
  };
  board.root.onpointerup = (event) => {
    if (!drag) return;
    const cell = board.cellAt(document.elementFromPoint(event.clientX, event.clientY));
    if (drag.hasMoved && cell >= 0) send("Drop", { cell });
    drag = null;
  };
  board.root.onkeydown = (event) => {
    const cell = board.cellAt(event.target);
    if (cell < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    board.follow(null);
    if (event.key in ARROWS) board.focus(board.neighbour(cell, ARROWS[event.key]));
    else if (!wood()) return;
    else if (event.key === "Enter" || event.key === " ") act(cell);
    else if (event.key === "Escape") send("PutBack");
    else if (event.key === "Delete") send("PutAway");
    else if (event.key === "r" || event.key === "R") send("Turn");
    else return;
    event.preventDefault();
    if (event.key in ARROWS && wood()?.hand) board.draw(picture());
  };
}
