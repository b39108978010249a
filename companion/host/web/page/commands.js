// SPDX-License-Identifier: Apache-2.0
// What people ask of the program, as buttons. Each has its place, and commands that exclude each
// other share one, so that no button moves when another appears.

import { choose } from "./ask.js";
import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

// By the element that holds them, the slots with their commands. A repair that is not possible now
// is shown disabled, another command is hidden.
const SLOTS = {
  repair: [["set-right"], ["let-stand"], ["take-back"], ["correct-record"]],
  commands: [["new-game"], ["pause", "resume"], ["adjourn"], ["draw", "agree"], ["resign"]],
};
// These answer the message and stand below it while they are possible.
const NOW = ["rematch", "start-clock"];

export function makeCommands(table, { send, begin, putRight }) {
  const { labels, sides } = table;
  const buttons = new Map();
  let shown = null; // the latest view
  let isVirtual = false;

  const names = sides.map(({ name }, side) => (table.players?.[side] ? `${table.players[side]} · ${name}` : name));
  const sendIt = (kind, fields) => () => send(kind, fields);

  // Commands that concern one of *among*: the user is asked which one, and so asked twice.
  const whose = (question, kind, key, among = names.keys()) => ({
    question,
    answers: [...among].map((side) => ({ text: names[side], act: sendIt(kind, { [key]: side }) })),
  });

  // Where one of two sides has made an illegal move, and no other piece stands elsewhere, the other
  // side moves next.
  function following({ fault, guides, turn }) {
    const misplaced = guides.filter(({ source }) => source !== null);
    const isPlain = fault && sides.length === 2 && misplaced.length && misplaced.every(({ side }) => side === turn);
    return isPlain ? { act: sendIt("LetStand", { turn: 1 - turn }) } : null;
  }

  // Effect of each command, and its confirmation.
  const COMMANDS = {
    resign: ({ seated }) => whose(labels.resign, "Resign", "side", seated),
    draw: ({ seated }) => whose(labels.draw, "OfferDraw", "side", seated),
    agree: ({ draw_offered_by: by, seated }) =>
      sides.length > 2
        ? whose(labels.agree, "OfferDraw", "side", seated)
        : { act: sendIt("OfferDraw", { side: 1 - by }) },
    pause: () => ({ act: sendIt("Pause") }),
    adjourn: () => ({
      question: `${labels.adjourn} · ${labels.confirm}`,
      answers: [{ text: labels.yes, act: sendIt("Adjourn") }],
    }),
    resume: () => ({ act: sendIt("Resume") }),
    "set-right": () => ({ act: sendIt("SetRight") }),
    "take-back": () => ({ act: sendIt("TakeBack") }),
    "let-stand": (view) =>
      following(view) ?? whose(`${labels["let-stand"]} · ${labels["who-moves"]}`, "LetStand", "turn"),
    "correct-record": () => ({ act: () => putRight.open("correct-record") }),
    "start-clock": () => ({ act: sendIt("StartClock") }),
    rematch: () => ({ act: sendIt("Again") }),
    "new-game": () => ({ act: begin }),
  };

  function isPossible(name) {
    const { commands, draw_offered_by: by, guides, seated } = shown;
    if (name === "set-right") return isVirtual && guides.length > 0;
    if (name === "agree") return commands.includes("draw") && by !== null && seated.some((side) => side !== by);
    if (name === "draw") return commands.includes("draw") && by === null;
    return commands.includes(name);
  }

  async function carryOut(name) {
    if (!shown || !isPossible(name)) return;
    const { act, question, answers } = COMMANDS[name](shown);
    if (!question) {
      act();
      return;
    }
    const chosen = await choose(question, answers.map(({ text }) => text), labels.no);
    if (chosen !== null) answers[chosen].act();
  }

  function button(name) {
    const made = el("button", { type: "button", "data-command": name, onclick: () => carryOut(name) }, labels[name]);
    buttons.set(name, made);
    return made;
  }

  for (const [id, slots] of Object.entries(SLOTS)) {
    byId(id).replaceChildren(...slots.map((slot) => el("div", { class: "slot" }, ...slot.map(button))));
  }
  NOW.forEach(button);

  function draw(view, virtual) {
    shown = view;
    isVirtual = Boolean(virtual);
    const focused = document.activeElement?.dataset.command;
    buttons.get("set-right").parentElement.hidden = !isVirtual; // people set up a real board
    SLOTS.repair.flat().forEach((name) => (buttons.get(name).disabled = !isPossible(name)));
    SLOTS.commands.flat().forEach((name) => buttons.get(name).classList.toggle("away", !isPossible(name)));
    const wanted = NOW.filter(isPossible).map((name) => buttons.get(name));
    const isSame = wanted.length === byId("now").children.length && wanted.every((each) => each.isConnected);
    if (!isSame) byId("now").replaceChildren(...wanted);
    if (focused && !isPossible(focused)) byId("commands").querySelector("button:not(.away)").focus();
  }

  return { draw, carryOut };
}
