// SPDX-License-Identifier: Apache-2.0
// The message strip: what the program says and asks.

import { makeCommands } from "./commands.js";
import { el } from "./dom.js";
import { makeStandins } from "./standins.js";
import { makeWhy } from "./why.js";
import { fill } from "./words.js";

const byId = (id) => document.getElementById(id);
const FRAME_MS = 20;

export function makeTalk(table, { send, begin, point, pick, putRight, share = null, review = null, may }) {
  const { sides } = table;
  const standins = makeStandins(byId("standins"));
  const why = makeWhy(table, byId("why"), byId("reason"));
  const commands = makeCommands(table, { send, begin, putRight, share, review, may });
  let asked = "";
  let told = null; // the last move and prompt that a screen reader has read
  let read = null; // what it reads next: moves, and the prompt after them

  const items = (texts) => texts.map((text) => el("li", {}, text));

  // Unchanged elements stay, so that a button keeps its focus and a screen reader reads only news.
  function say(id, text) {
    const element = byId(id);
    if (element.textContent !== text) element.textContent = text;
  }

  // A draw that is offered or declined, with the names of the players if they are known.
  function offer({ offer: sentence, draw_offered_by: by, draw_declined_by: declined }) {
    const called = (side) => table.players?.[side] || sides[side].name;
    if (declined !== null) return fill(table.labels.declines, { by: called(declined) }, table.language);
    if (by === null) return "";
    if (sides.length > 2 || !table.players?.some(Boolean)) return sentence;
    return fill(table.labels["offers-to"], { by: called(by), other: called(1 - by) }, table.language);
  }

  // The heading of a lesson, and what it teaches.
  function teach(lesson) {
    const texts = [lesson?.heading ?? "", lesson?.says ?? ""];
    document.body.classList.toggle("lesson", Boolean(lesson));
    [...byId("lesson").children].forEach((part, number) => {
      if (part.textContent !== texts[number]) part.textContent = texts[number];
    });
  }

  function ask(question) {
    const key = JSON.stringify([question, may()]);
    if (key === asked) return;
    asked = key;
    const { ply, side, choices, pointed, order } = question ?? { choices: [], order: [] };
    const answer = (choice) => send("Answer", { ply, choice });
    byId("question").replaceChildren(...order.map((choice) => choiceButton(choices[choice], () => answer(choice))));
    byId("question").children[order.indexOf(pointed)]?.setAttribute("aria-current", "true");
    point(choices[pointed]?.cells ?? []);
    pick(may().includes(side) ? question : null, answer);
  }

  // A focused choice is highlighted on the board.
  function choiceButton({ label, cells }, act) {
    const made = el("button", { type: "button", onclick: act }, label);
    ["pointerenter", "focus"].forEach((event) => made.addEventListener(event, () => point(cells)));
    ["pointerleave", "blur"].forEach((event) => made.addEventListener(event, () => point([])));
    return made;
  }

  // Faults and announcements interrupt a screen reader; moves and prompts wait.
  function tell(view, cry) {
    say("urgent", [view.fault?.sentence, cry].filter(Boolean).join(" "));
    const last = view.record.at(-1);
    const move = last && last.stage !== "provisional" ? `${sides[last.side].name}: ${last.text}.` : "";
    const prompt = view.fault ? "" : view.prompt;
    if (told !== null && (move !== told.move || prompt !== told.prompt)) tellLater(move === told.move ? "" : move, prompt);
    told = { move, prompt };
  }

  // What comes within one frame is read together: of two texts in a row only the second would be read.
  function tellLater(move, prompt) {
    if (!read) setTimeout(tellNow, FRAME_MS);
    read = { moves: [...(read?.moves ?? []), move], prompt };
  }

  function tellNow() {
    say("polite", [...read.moves, read.prompt].filter(Boolean).join(" "));
    read = null;
  }

  function draw({ view, lines, reply, virtual, blocked, analysis, retracted }) {
    const cry = view.announcements.map((each) => `${each.word} ${each.sentence}`).join(" ");
    document.body.dataset.phase = view.phase;
    document.body.classList.toggle("wrong", Boolean(view.fault));
    teach(view.lesson);
    say("prompt", view.prompt);
    say("refusal", (virtual && blocked) || "");
    say("offer", offer(view));
    say("reply", putRight.isOpen() ? "" : reply.text);
    say("notices", view.notices.join(" "));
    standins.draw(view.standins);
    say("analysis", analysis);
    say("cry", cry);
    tell(view, cry);
    byId("guides").replaceChildren(...items(view.guides.filter((guide) => !guide.is_part).map((guide) => guide.sentence)));
    commands.draw(view, virtual);
    ask(view.question);
    why.draw({ view, retracted });
    byId("display").querySelectorAll("pre").forEach((line, index) => (line.textContent = lines[index] ?? ""));
  }

  return { draw, command: commands.carryOut };
}
