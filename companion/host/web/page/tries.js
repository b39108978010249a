// SPDX-License-Identifier: Apache-2.0
// A position of a review in which moves are tried: pieces are lifted and put down as at a virtual table, but
// here in the browser, with the legal moves that the program has sent.

// *files* of the board, or null; *make* gets the text of a move, *changed* is called when something is to be drawn.
export function makeTries({ files, make, changed }) {
  let picture = null; // the position; null while nothing is tried
  let moves = [];
  let hand = null; // the held piece
  let asked = null; // moves among which to choose, and the cell over which the piece waits
  let shown = null;
  let forHands = null; // the same without fronts: a piece is turned by a choice

  const sourceOf = (piece, grip) =>
    moves.filter(({ source }) => source.includes(grip) && piece.cells.includes(source[0]));
  const fromBeside = () => moves.filter(({ source, target }) => !source.length && target.length);
  const held = () => (hand.came_from === null ? fromBeside() : sourceOf(hand, hand.came_from));

  // The cells on which the held piece may be put down for a move: of a long one, where its grip lands.
  function places({ source, target }) {
    return source.length === target.length ? [target[source.indexOf(hand.came_from)]] : target;
  }

  function begin(position, legal) {
    picture = position;
    moves = legal;
    const beside = moves.filter(({ source, target }) => !source.length && !target.length);
    refresh(null, beside.length ? { among: beside, over: null } : null);
  }

  function refresh(nextHand = null, nextAsked = null) {
    hand = nextHand;
    asked = nextAsked;
    shown = drawn();
    const plain = (piece) => piece && { ...piece, facing: null };
    const { virtual } = shown;
    forHands = { ...shown, virtual: { ...virtual, hand: plain(hand), pieces: virtual.pieces.map(plain) } };
    changed();
  }

  function drawn() {
    const { view } = picture;
    const targets = hand && !asked ? held().flatMap(places) : [];
    const lies = (piece) => !(hand && piece.cells === hand.cells);
    return {
      ...picture,
      beside: [...view.hands.flat(), ...view.captured],
      canTake: fromBeside().length ? !hand : null,
      virtual: { pieces: view.pieces.filter(lies), hand, box: [], over: asked?.over ?? null },
      view: { ...view, targets: [...new Set(targets)], question: asked?.among.length ? question(asked.among) : null },
    };
  }

  function question(among) {
    const choices = among.map(({ text }) => ({ label: text, cells: [], arrow: null, piece: null }));
    const { ply, turn: side } = picture.view;
    return { ply, side, aspect: "move", pointed: null, choices, order: [...choices.keys()] };
  }

  function lift(cell) {
    const piece = picture.view.pieces.find(({ cells }) => cells.includes(cell));
    if (!piece || !sourceOf(piece, cell).length) {
      choose(fromBeside().filter(({ target }) => target.includes(cell)), cell);
      return;
    }
    const place = (each) => (files ? [each % files, Math.floor(each / files)] : [0, 0]);
    const shape = piece.cells.map((each) => place(each).map((at, axis) => at - place(cell)[axis]));
    refresh({ ...piece, came_from: cell, shape, other_face: null });
  }

  function take(index) {
    const piece = shown.beside[index];
    const loose = { cells: [], came_from: null, shape: [[0, 0]], other_face: null };
    if (piece && fromBeside().length) refresh({ ...piece, ...loose });
  }

  function drop(cell) {
    choose(held().filter((move) => places(move).includes(cell)), cell);
  }

  function choose(among, over) {
    if (among.length === 1) made(among[0], over);
    else refresh(among.length ? hand : null, among.length ? { among, over } : null);
  }

  // The piece waits on its target until the move is judged.
  function made({ text }, over) {
    refresh(hand, { among: [], over });
    make(text);
  }

  // What a hand does: true if it is done here.
  function act(kind, { cell, index, choice }) {
    if (!picture) return false;
    if (kind === "Answer") made(asked.among[choice], asked.over);
    else if (kind === "PutBack" || kind === "PutAway") refresh();
    else if (kind === "Take") take(index);
    else if (["Touch", "Drop"].includes(kind) && !asked) hand ? drop(cell) : lift(cell);
    return true;
  }

  return {
    begin,
    act,
    // The piece goes back, for another try.
    putBack: () => refresh(),
    end() {
      picture = hand = asked = shown = forHands = null;
    },
    // The position with the hand; null while nothing is tried.
    shown: () => shown,
    forHands: () => forHands,
  };
}
