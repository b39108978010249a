// SPDX-License-Identifier: Apache-2.0
// Alarms at the desk: those that nobody has taken first, each with who goes there; reported results share one line.

import { el } from "../page/dom.js";
import { makeSound } from "../page/sound.js";
import { onDevice } from "../page/storage.js";
import { clock, hallNow, seatedAt } from "./shared.js";

const MOST_RESULTS = 3; // more of them share one line
const NOTES = { 3: [[880, 140], [0, 60], [880, 140], [0, 60], [1175, 200]], 2: [[660, 160]] };
const on = onDevice("desk-sound");

export function makeAlarms({ say, language, call, newest, me, open, confirmAll, removeLeft }) {
  const isOn = () => on.get() === "on";
  const sound = makeSound({ get: (name) => ({ sound: isOn(), volume: 100 })[name], onChange: () => {} });
  const still = { spoken: [], language, record: [], pieces: [], occupied: [] }; // no piece moves at the desk
  let played = 0;
  let known = null;

  const nameOf = (board) => newest().boards.find((one) => one.board === board)?.name ?? board;
  const since = (ms) => el("small", { "data-since": ms }, clock(hallNow() - ms));
  const colourOf = (name) => `var(--owner-${newest().arbiters.indexOf(name) % 6})`;
  const keyOf = (one) => `${one.board} ${one.kind} ${one.since_ms}`;

  // Untaken ones come first; the hall sorts by urgency, then by age.
  function all() {
    return [...newest().alarms].sort((one, other) => Boolean(one.taken_by) - Boolean(other.taken_by));
  }

  function take(one, isBack = false) {
    return call("api/alarms", { board: one.board, kind: one.kind, is_back: isBack });
  }

  // Takes the first alarm that nobody has taken, and opens its board.
  function takeFirst() {
    const first = all().find((one) => !one.taken_by && one.kind !== "result");
    if (!first) return;
    takeAt(first.board);
  }

  // Takes the worst alarm at a board that nobody has taken, and opens the board.
  function takeAt(board) {
    const mine = all().find((one) => one.board === board && !one.taken_by && one.kind !== "result");
    if (mine) take(mine);
    open(board);
  }

  function holder(one) {
    const what = `${nameOf(one.board)}: ${say(`state_${one.kind === "hint" ? "illegal" : one.kind}`)}`;
    const name = `alarm ${one.board} ${one.kind} take`;
    if (!one.taken_by) {
      const label = { "data-name": name, "aria-label": `${say("i_go")}: ${what}` };
      return el("button", { type: "button", class: "act go", ...label, onclick: () => take(one) }, say("i_go"));
    }
    const title = say("give_back");
    const label = { "data-name": name, "aria-label": `${title}: ${what}`, title };
    const back = el("button", { type: "button", class: "act", ...label, onclick: () => take(one, true) }, "×");
    const text = one.taken_by === me() ? say("i_go") : say("goes_there", { name: one.taken_by });
    return el("span", { class: "holder" }, text, back);
  }

  function line(one) {
    const seated = seatedAt(newest().tournaments, one.board);
    const text = say(`alarm_${one.kind}`, { text: one.said[language] ?? one.text });
    const goThere = (event) => {
      event.preventDefault();
      open(one.board);
    };
    const name = seated ? `${nameOf(one.board)} (${seated})` : nameOf(one.board);
    const link = { href: `#board-${one.board}`, "data-name": `alarm ${one.board} ${one.kind}`, onclick: goThere };
    const item = el("li", { class: `urgency-${one.urgency}${one.taken_by ? " taken" : ""}` },
      el("span", { class: "what" }, el("a", link, name), `: ${text} `, since(one.since_ms), " ",
        el("small", { class: "unseen" }, say(`urgency_${one.urgency}`))),
      one.kind === "result" ? null : holder(one));
    if (one.taken_by) item.style.setProperty("--taken", colourOf(one.taken_by));
    return item;
  }

  // Many results share a line, so that they hide no other alarm.
  function lines() {
    const results = newest().alarms.filter((one) => one.kind === "result");
    const isMany = results.length > MOST_RESULTS;
    const shown = all().filter((one) => !isMany || one.kind !== "result").map(line);
    if (!isMany) return shown;
    const label = say("results_reported", { count: results.length });
    const confirm = { type: "button", class: "act", "data-name": "alarm confirm_all", onclick: confirmAll };
    return [...shown, el("li", { class: "urgency-2" }, el("span", { class: "what" }, label),
      el("button", confirm, say("confirm_all")))];
  }

  // A new alarm sounds once and is scrolled to; those that were there before, and reported results, are not.
  function hear() {
    const now = new Map(newest().alarms.filter((one) => one.kind !== "result").map((one) => [keyOf(one), one]));
    const isFresh = ([key, one]) => known !== null && (!known.has(key) || known.get(key) < one.urgency);
    const worst = Math.max(0, ...[...now].filter(isFresh).map(([, one]) => one.urgency));
    known = new Map([...now].map(([key, one]) => [key, one.urgency]));
    if (NOTES[worst]) {
      played += 1;
      document.querySelector("#alarms")?.closest("section").scrollTo(0, 0);
    }
    sound({ tune: { number: played, notes: NOTES[worst] ?? [] }, view: still });
  }

  function toggle() {
    const set = ({ target }) => {
      const next = target.getAttribute("aria-pressed") !== "true";
      target.setAttribute("aria-pressed", String(next));
      on.set(next ? "on" : "off");
    };
    return el("button", { type: "button", class: "act", "aria-pressed": String(isOn()), onclick: set }, say("sound"));
  }

  function draw(faults) {
    hear();
    const shown = lines();
    return [
      ...faults.map((fault) => el("p", { class: "fault" }, fault.said[language] ?? fault.text)),
      shown.length ? el("ul", { class: "plain" }, ...shown) : el("p", {}, say("no_alarms")),
      ...[removeLeft()].filter(Boolean),
    ];
  }

  setInterval(() => document.querySelectorAll("[data-since]").forEach((each) => {
    const text = clock(hallNow() - Number(each.dataset.since));
    if (each.textContent !== text) each.textContent = text;
  }), 1000);

  return { draw, takeAt, takeFirst, toggle };
}
