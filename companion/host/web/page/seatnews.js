// SPDX-License-Identifier: Apache-2.0
// What the message strip says about the seats: for whom this browser may not move, which seats are free,
// and which it has in another game. A click takes a free one.

import { el } from "./dom.js";
import { fill, nameOf, playerOf } from "./words.js";

const byId = (id) => document.getElementById(id);
const FEW = 2;

// *summary* says which seats this browser has; *sit* takes seats; *touch* tries a cell.
export function makeSeatNews({ summary, sit, touch }) {
  const board = byId("board");
  let table = null;
  let seats = null;
  let seen = { plies: 0, isHeld: false };
  let news = null; // shown until the game goes on: returns texts, and the sides that are offered

  const say = (key, gaps) => fill(table.labels[key], gaps, table.language);
  const kept = () => [[table.labels["new-game"], summary()], []];
  const freed = () => [[table.labels["seats-freed"]], seats.free];

  // For *side* others move; null: no side is meant.
  const denied = (side) => () => {
    const isFree = seats.free.includes(side);
    const by = playerOf(table, side) || table.labels["another-device"];
    const whose = side === null || isFree ? [] : [say("seat-of", { by, side: table.sides[side].name })];
    const offered = isFree ? [side] : seats.free;
    const named = offered.length > FEW ? [] : offered; // the buttons name many
    const sides = named.map((each) => nameOf(table, each)).join(", ");
    return [[summary(), ...whose, ...(sides ? [say("seats-free", { sides })] : [])], offered];
  };

  // Who has no seat, and has not said that it watches, is offered the free ones.
  const standing = () => (!seats.may.length && !seats.watches && seats.free.length ? denied(null)() : [[], []]);

  // The texts of the buttons, each with the sides that it takes.
  function choices(offered) {
    const all = [...seats.mine, ...seats.free].sort();
    const hasAll = offered.length && seats.mine.length && !seats.taken.length;
    return [
      ...offered.map((side) => [say("i-play", { side: nameOf(table, side) }), [side]]),
      ...(hasAll ? [[table.labels["i-play-all"], all]] : []),
    ];
  }

  // Unchanged elements stay, so that a button keeps its focus.
  function show() {
    const [texts, offered] = (news ?? standing)();
    const [said, place] = ["seat-said", "seat-offer"].map(byId);
    const buttons = choices(offered);
    const text = texts.join(" · ");
    if (said.textContent !== text) said.textContent = text;
    if ([...place.children].map((each) => each.textContent).join() === buttons.map(([each]) => each).join()) return;
    const hadFocus = place.contains(document.activeElement);
    const button = ([each, sides]) => el("button", { type: "button", onclick: () => sit(sides) }, each);
    place.replaceChildren(...buttons.map(button));
    if (hadFocus) byId("seat").focus();
  }

  // The motions of a browser without a seat are denied by the program, as those of the others are.
  function attempt(event, find) {
    if (!seats || seats.may.length || document.body.matches(".reviewing")) return;
    const cell = find()?.closest("[data-cell]")?.dataset.cell;
    if (cell === undefined) return;
    event.preventDefault();
    touch(Number(cell));
  }

  // A pointer that was captured clicks on the board as a whole.
  const below = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY);
  board.addEventListener("click", (event) => attempt(event, () => below(event)));
  board.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key) && !event.repeat) attempt(event, () => event.target);
  });

  return {
    draw(described, next) {
      const isDenied = seats && next.denied && next.denied[0] !== seats.denied?.[0];
      if (seats?.mine.length && next.begun > seats.begun) news = next.mine.length ? kept : freed;
      else if (isDenied) news = denied(next.denied[1]);
      else if (["mine", "taken", "begun"].some((key) => `${seats?.[key]}` !== `${next[key]}`)) news = null;
      [table, seats] = [described, next];
      show();
    },
    // What the program answers to a request for another game.
    tell(text) {
      news = () => [[text], []];
      show();
    },
    // The game has gone on once a piece was lifted or moved.
    follow({ view, virtual }) {
      const now = { plies: view.record.length, isHeld: Boolean(virtual?.hand) };
      if (news && (now.plies > seen.plies || now.isHeld > seen.isHeld)) {
        news = null;
        show();
      }
      seen = now;
    },
  };
}
