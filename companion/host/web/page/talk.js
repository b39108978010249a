// SPDX-License-Identifier: Apache-2.0
// What the program says and what people ask of it: prompt, reasons, announcements, questions,
// commands.

import { choose } from "./ask.js";
import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function makeTalk(table, { send, begin, point, putRight }) {
  const { labels, sides } = table;
  let offered = "";
  let asked = "";
  let told = null;

  const sendIt = (kind, fields) => () => send(kind, fields);

  // Commands that concern any side: the user is asked which one, and so asked twice.
  const whose = (question, kind, key) => ({
    question,
    answers: sides.map(({ name }, side) => ({ text: name, act: sendIt(kind, { [key]: side }) })),
  });

  // Effect of each command, its label if unusual, and its confirmation.
  const COMMANDS = {
    resign: () => whose(labels.resign, "Resign", "side"),
    draw: ({ draw_offered_by: by }) =>
      by === null
        ? whose(labels.draw, "OfferDraw", "side")
        : sides.length > 2
          ? { ...whose(labels.agree, "OfferDraw", "side"), label: labels.agree }
          : { act: sendIt("OfferDraw", { side: 1 - by }), label: labels.agree },
    pause: () => ({ act: sendIt("Pause") }),
    adjourn: () => ({ question: `${labels.adjourn} · ${labels.confirm}`, answers: [{ text: labels.yes, act: sendIt("Adjourn") }] }),
    resume: () => ({ act: sendIt("Resume") }),
    "take-back": () => ({ act: sendIt("TakeBack") }),
    "let-stand": () => whose(`${labels["let-stand"]} · ${labels["who-moves"]}`, "LetStand", "turn"),
    // One button for both; a question decides which.
    "correct-record": () => ({
      label: labels["put-right"],
      question: labels["put-right"],
      answers: ["correct-record", "set-up-position"].map((name) => ({ text: labels[name], act: () => putRight.open(name) })),
    }),
    "start-clock": () => ({ act: sendIt("StartClock") }),
    rematch: () => ({ act: sendIt("Again") }),
    "new-game": () => ({ act: begin }),
  };

  async function carryOut(name, view) {
    const { act, question, answers } = COMMANDS[name](view);
    if (!question) return act();
    const chosen = await choose(question, answers.map(({ text }) => text), labels.no);
    if (chosen !== null) answers[chosen].act();
  }

  const button = (text, act) => el("button", { type: "button", onclick: act }, text);

  function commandButton(name, view) {
    const made = button(COMMANDS[name](view).label ?? labels[name], () => carryOut(name, view));
    made.dataset.command = name;
    return made;
  }

  const items = (texts) => texts.map((text) => el("li", {}, text));

  // Unchanged elements stay, so that a button keeps its focus and a screen reader reads only news.
  function say(id, text) {
    const element = byId(id);
    if (element.textContent !== text) element.textContent = text;
  }

  function offer(view) {
    const key = JSON.stringify([view.commands, view.draw_offered_by]);
    if (key === offered) return;
    offered = key;
    const focused = document.activeElement?.dataset.command;
    const names = view.commands.filter((name) => name in COMMANDS);
    byId("commands").replaceChildren(...names.map((name) => commandButton(name, view)));
    if (focused) byId("commands").querySelector(`[data-command="${focused}"], button`)?.focus();
  }

  function ask(question) {
    const key = JSON.stringify(question);
    if (key === asked) return;
    asked = key;
    const { ply, choices, pointed } = question ?? { choices: [] };
    byId("question").replaceChildren(...choices.map((each, choice) => choiceButton(each, sendIt("Answer", { ply, choice }))));
    byId("question").children[pointed]?.setAttribute("aria-current", "true");
    point(choices[pointed]?.cells ?? []);
  }

  // A focused choice is highlighted on the board.
  function choiceButton({ label, cells }, act) {
    const made = button(label, act);
    ["pointerenter", "focus"].forEach((event) => made.addEventListener(event, () => point(cells)));
    ["pointerleave", "blur"].forEach((event) => made.addEventListener(event, () => point([])));
    return made;
  }

  // Faults and announcements interrupt a screen reader; moves and prompts wait.
  function tell(view, cry) {
    say("urgent", [view.fault?.sentence, cry].filter(Boolean).join(" "));
    const last = view.record.at(-1);
    const move = last && last.stage !== "provisional" ? `${sides[last.side].name}: ${last.text}.` : "";
    if (told !== null) say("polite", [move === told ? "" : move, view.fault ? "" : view.prompt].filter(Boolean).join(" "));
    told = move;
  }

  function draw({ view, lines, reply, virtual, blocked }) {
    const cry = view.announcements.map((each) => `${each.word} ${each.sentence}`).join(" ");
    document.body.dataset.phase = view.phase;
    document.body.classList.toggle("wrong", Boolean(view.fault));
    say("prompt", view.prompt);
    say("refusal", (virtual && blocked) || "");
    say("offer", view.offer ?? "");
    say("reply", putRight.isOpen() ? "" : reply.text);
    say("notices", view.notices.join(" "));
    say("cry", cry);
    tell(view, cry);
    byId("guides").replaceChildren(...items(view.guides.filter((guide) => !guide.is_part).map((guide) => guide.sentence)));
    offer(view);
    ask(view.question);
    byId("display").querySelectorAll("pre").forEach((line, index) => (line.textContent = lines[index] ?? ""));
  }

  return {
    draw,
    // Executes command *name* if it is available in *view*.
    command(name, view) {
      if (view.commands.includes(name)) carryOut(name, view);
    },
  };
}
