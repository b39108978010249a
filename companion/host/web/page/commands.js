// SPDX-License-Identifier: Apache-2.0
// What people ask of the program, as buttons. Each has its place, and commands that exclude each
// other share one, so that no button moves when another appears.

import { choose } from "./ask.js";
import { el } from "./dom.js";
import { nameOf } from "./words.js";

const byId = (id) => document.getElementById(id);

// The slots with their commands. One that is not possible now is hidden, and keeps its place.
const SLOTS = [["hint"], ["draw"], ["more"], ["take-back"], ["new-game", "resign"]];
// These are asked for seldom: *more* lists them.
const MORE = ["new-game", "pause", "adjourn", "set-right", "let-stand", "correct-record"];
// These answer the message and stand below it while they are possible.
const NOW = [
  ...["set-right", "let-stand", "resume", "agree", "decline", "next-lesson", "repeat-lesson", "review", "rematch"],
  ...["share", "start-clock"],
];

export function makeCommands(table, { send, begin, putRight, share, review, may }) {
  const { labels, sides } = table;
  const buttons = new Map();
  let shown = null; // the latest view
  let isVirtual = false;

  const names = sides.map((_, side) => nameOf(table, side));
  const sendIt = (kind, fields) => () => send(kind, fields);

  // Commands of one side of *among*: the user is asked which one.
  const whose = (question, kind, key, among) => ({
    question,
    answers: among.map((side) => ({ text: names[side], act: sendIt(kind, { [key]: side }) })),
  });
  const all = sides.map((_, side) => side);
  // The sides that play at this table, in this browser.
  const mine = () => may().filter((side) => shown.seated.includes(side));

  // Where one of two sides has made an illegal move, and no other piece stands elsewhere, the other
  // side moves next.
  function following({ fault, guides, turn }) {
    const misplaced = guides.filter(({ source }) => source !== null);
    const isPlain = fault && sides.length === 2 && misplaced.length && misplaced.every(({ side }) => side === turn);
    return isPlain ? { act: sendIt("LetStand", { turn: 1 - turn }) } : null;
  }

  // The same, where one side alone needs no question.
  function ofSide(question, kind, among) {
    return among.length === 1 ? { act: sendIt(kind, { side: among[0] }) } : whose(question, kind, "side", among);
  }

  // The answer of another side than *by* to its offer.
  const others = (by, label, kind) => ofSide(labels[label], kind, mine().filter((side) => side !== by));

  // What cannot be undone is confirmed.
  const confirmed = (label, act) => ({
    question: `${labels[label]} · ${labels.confirm}`,
    answers: [{ text: labels.yes, act }],
  });

  // Effect of each command, and its confirmation.
  const COMMANDS = {
    resign() {
      const { act, ...question } = ofSide(labels["who-resigns"], "Resign", mine());
      return act ? confirmed("resign", act) : question;
    },
    draw: () => ofSide(labels["who-offers"], "OfferDraw", mine()),
    agree: ({ draw_offered_by: by }) => others(by, "agree", "OfferDraw"),
    decline: ({ draw_offered_by: by }) => others(by, "decline", "DeclineDraw"),
    pause: () => ({ act: sendIt("Pause") }),
    adjourn: () => confirmed("adjourn", sendIt("Adjourn")),
    resume: () => ({ act: sendIt("Resume") }),
    "set-right": () => ({ act: sendIt("SetRight") }),
    "take-back": () => ({ act: sendIt("TakeBack") }),
    "let-stand": (view) =>
      following(view) ?? whose(`${labels["let-stand"]} · ${labels["who-moves"]}`, "LetStand", "turn", all),
    "correct-record": () => ({ act: () => putRight.open("correct-record") }),
    "start-clock": () => ({ act: sendIt("StartClock") }),
    review: () => ({ act: review }),
    share: () => ({ act: share }),
    hint: () => ({ act: sendIt("PressHint") }),
    rematch: () => ({ act: sendIt("Again") }),
    "next-lesson": ({ game, lesson }) => ({ act: sendIt("Begin", { game, lesson: lesson.following }) }),
    "repeat-lesson": () => ({ act: sendIt("Again") }),
    "new-game": () => ({ act: begin }),
    more: () => ({
      question: labels["more-commands"],
      answers: MORE.filter(isListed).map((name) => ({ text: labels[name], act: () => carryOut(name) })),
      no: labels.close,
    }),
  };

  function isPossible(name) {
    const { commands, draw_offered_by: by, guides } = shown;
    if (name === "review") return Boolean(shown.outcome && shown.record.length && !shown.lesson && review);
    if (name === "more") return MORE.some(isListed);
    if (name === "share") return Boolean(shown.outcome && share);
    if (name === "set-right") return isVirtual && guides.length > 0;
    if (name === "agree" || name === "decline") {
      return commands.includes("draw") && by !== null && mine().some((side) => side !== by);
    }
    if (name === "hint") return commands.includes(name) && mine().includes(shown.turn);
    if (name === "draw") return commands.includes("draw") && by === null;
    return commands.includes(name);
  }

  async function carryOut(name) {
    if (!shown || !isPossible(name)) return;
    const { act, question, answers, no = labels.no } = COMMANDS[name](shown);
    if (!question) {
      act();
      return;
    }
    const chosen = await choose(question, answers.map(({ text }) => text), no);
    if (chosen !== null) answers[chosen].act();
  }

  function button(name) {
    const text = labels[name === "more" ? "more-commands" : name];
    const made = el("button", { type: "button", "data-command": name, onclick: () => carryOut(name) }, text);
    buttons.set(name, made);
    return made;
  }

  byId("commands").replaceChildren(...SLOTS.map((slot) => el("div", { class: "slot" }, ...slot.map(button))));
  NOW.forEach(button);

  // Below the message a board that is wrong can be accepted; *more* has it at other times, too.
  const isAnswer = (name) => isPossible(name) && (name !== "let-stand" || Boolean(shown.fault));
  // While a game is on, another one is begun by *more*.
  const isOffered = (name) => isPossible(name) && (name !== "new-game" || !isPossible("resign"));
  const isListed = (name) => isPossible(name) && (name !== "new-game" || isPossible("resign"));

  function draw(view, virtual) {
    shown = view;
    isVirtual = Boolean(virtual);
    const focused = document.activeElement?.dataset.command;
    buttons.get("hint").parentElement.hidden = !view.gives_hints; // in a hall there are none
    SLOTS.flat().forEach((name) => buttons.get(name).classList.toggle("away", !isOffered(name)));
    const wanted = NOW.filter(isAnswer).map((name) => buttons.get(name));
    const isSame = wanted.length === byId("now").children.length && wanted.every((each) => each.isConnected);
    if (!isSame) byId("now").replaceChildren(...wanted);
    if (focused && !isPossible(focused)) byId("commands").querySelector("button:not(.away)")?.focus();
  }

  return { draw, carryOut };
}
