// SPDX-License-Identifier: Apache-2.0
// The analysis of a game that is over, below its review: the value of each position as a curve, the grades of
// moves, and for each mistake what can be done about it: a better move can be tried, and lines are played.

import { makeCurve } from "./curve.js";
import { el } from "./dom.js";
import { signOf } from "./grades.js";
import { svg } from "./svg.js";
import { makeTries } from "./tries.js";
import { fill } from "./words.js";

const byId = (id) => document.getElementById(id);
const ASK_AGAIN_MS = 1000;
const ROUND = /^(\d+)\. /;

// *review* shows the positions. *playOn* begins a game from a position; null: none can begin. *redraw* is called
// when there are new remarks.
export function makeJudged({ review, playOn, redraw }) {
  let table = null;
  let judged = null; // of this game, as far as it has come
  let waiting = null;
  let isWanted = false;
  let seeks = null; // until the first mistake is known, the position from which to go there
  let here = 0;
  let looked = null; // the position below the pointer
  let aside = null; // what is shown beside the game: its kind, the mistake that is tried, what is said of a move
  let tries = null;

  function reveal(isShown) {
    byId("judged").hidden = !isShown;
    document.body.classList.toggle("judged", isShown);
  }

  const curve = makeCurve(byId("curve"), {
    look(number) {
      looked = number;
      tell();
    },
    goTo(number) {
      comeBack();
      review.open(number);
    },
  });
  const pictures = () => review.game().pictures;
  const mistakeBefore = (number) => judged?.mistakes.find((each) => each.number === number - 1);

  async function fetched(path, query = {}) {
    const asked = new URLSearchParams({ language: document.documentElement.lang, ...query });
    try {
      const answer = await fetch(`${path}?${asked}`);
      return answer.ok ? await answer.json() : null;
    } catch {
      return null; // the connection is down, which the page shows already
    }
  }

  async function ask() {
    clearTimeout(waiting);
    const found = await fetched("analysis.json");
    if (!isWanted || !found) return;
    judged = found;
    reveal(true);
    build();
    redraw();
    seek();
    if (judged.done < judged.total) waiting = setTimeout(ask, ASK_AGAIN_MS);
  }

  // A game under review at the table is analysed while it is shown; people who step on are not moved.
  function seek() {
    if (seeks === null) return;
    const [first] = judged.mistakes;
    if (first) review.open(first.number + 1);
    if (first || !seeks.waits) seeks = null;
  }

  function build() {
    const count = Math.floor((100 * judged.done) / judged.total);
    const isDone = judged.done === judged.total;
    byId("curve").setAttribute("aria-label", table.labels.curve);
    byId("judged-status").textContent = isDone ? "" : fill(table.labels.analysing, { count }, table.language);
    byId("judged-legend").replaceChildren(...legend());
    curve.draw({ total: judged.total, curves: judged.curves, marks: marks(), rounds: rounds() });
    show(here);
  }

  const marks = () => judged.grades.flatMap((grade, number) => {
    if (!grade) return [];
    const name = `${pictures()[number + 1].caption} – ${table.labels[`grade-${grade}`]}`;
    return [{ number: number + 1, grade, side: pictures()[number].view.turn, name }];
  });

  const rounds = () => pictures().flatMap(({ caption }, number) => {
    const found = ROUND.exec(caption);
    return found ? [{ number, text: found[1] }] : [];
  });

  // With several curves each has the name of its side.
  function legend() {
    const line = (index) => svg("polyline", { class: `line-${index}`, points: "0,2 30,2" });
    const sample = (index) => svg("svg", { viewBox: "0 0 30 4", "aria-hidden": "true" }, line(index));
    const name = ({ side }, index) => el("span", { class: "legend" }, sample(index), table.sides[side].name);
    return judged.curves.length > 1 ? judged.curves.map(name) : [];
  }

  // The value of the position below the pointer, otherwise of that on the board, with its move and grade.
  function tell() {
    if (!judged) return;
    const number = looked ?? here;
    const grade = judged.grades[number - 1];
    const { caption } = pictures()[number];
    byId("judged-value").textContent = judged.values[number] ?? "";
    byId("judged-move").textContent = `${caption} ${signOf(grade)}`.trim();
    byId("judged-grade").textContent = grade ? table.labels[`grade-${grade}`] : "";
    byId("judged-grade").className = grade ?? "";
  }

  function show(number) {
    here = number;
    byId("show-me").hidden = Boolean(!playOn || aside || pictures()[here].view.outcome);
    document.body.classList.toggle("trying", aside?.kind === "try");
    byId("next-mistake").hidden = !judged?.mistakes.length;
    drawActs();
    if (!judged) return;
    curve.put(here);
    tell();
  }

  // What can be done now; the buttons stay as long as they mean the same, so that a focused one keeps the focus.
  let offered = "";
  function drawActs() {
    const acts = aside ? actsAside() : judged ? actsHere() : [];
    const key = JSON.stringify([table.language, here, acts.map(([label]) => label)]);
    if (key === offered) return;
    offered = key;
    const button = ([label, onclick]) =>
      el("button", { type: "button", onclick, "data-act": label }, table.labels[label]);
    byId("judged-acts").replaceChildren(...acts.map(button));
  }

  function actsAside() {
    const back = ["to-review", comeBack];
    return aside.kind === "try" ? [["show-answer", () => playLine(aside.mistake.number, true)], back] : [back];
  }

  function actsHere() {
    const mistake = mistakeBefore(here);
    if (!mistake) return judged.best[here]?.line.length ? [["show-line", () => playLine(here, true)]] : [];
    return [
      ["try-it", () => begin(mistake)],
      ["show-line", () => playLine(mistake.number, true)],
      ["show-refutation", () => playLine(mistake.number, false)],
    ];
  }

  function goAside(kind, positions, first, more = {}) {
    tries.end();
    aside = { kind, said: "", ...more };
    review.goAside(positions, first, kind === "line");
    show(here);
  }

  function comeBack() {
    if (!aside) return;
    tries.end();
    aside = null;
    review.comeBack();
  }

  // Plays the best line from position *number*, or what refutes the move that was made there.
  async function playLine(number, isBest) {
    const found = await fetched("line.json", { position: number, best: isBest });
    if (found && judged) goAside("line", found.pictures, isBest ? 0 : 1);
  }

  async function begin(mistake) {
    const found = await fetched("try.json", { position: mistake.number });
    if (!found || !judged) return;
    const position = pictures()[mistake.number];
    goAside("try", [position], 0, { mistake });
    tries.begin(position, found.moves);
  }

  async function make(move) {
    const mine = aside;
    const found = await fetched("try.json", { position: mine.mistake.number, move });
    if (aside !== mine) return;
    const said = found ? `${found.is_right ? "✓" : "✕"} ${found.sentence}` : "";
    if (found?.is_right) {
      goAside("solved", found.pictures, 1, { said, mistake: mine.mistake });
      redraw();
      return;
    }
    aside.said = said;
    tries.putBack();
  }

  function next() {
    if (!judged?.mistakes.length) return;
    comeBack();
    const { number } = judged.mistakes.find((each) => each.number + 1 > here) ?? judged.mistakes[0];
    review.open(number + 1);
  }

  byId("show-me").addEventListener("click", () => playOn(here));
  byId("next-mistake").addEventListener("click", next);

  return {
    table(now) {
      table = now;
      tries = makeTries({ files: table.grid.files, make, changed: redraw });
    },
    // The review at the first mistake, or from position *number* on until one is known; *waits* for the analysis.
    async open(number, waits) {
      if (!(await review.load())) return;
      const from = Math.min(number, pictures().length - 1);
      seeks = { from, waits };
      await review.open(from);
      if (judged) seek();
    },
    // The review shows position *number* of a game that is over.
    show(number) {
      if (!isWanted) {
        isWanted = true;
        ask();
      }
      if (number !== seeks?.from) seeks = null;
      show(number);
    },
    leave() {
      isWanted = false;
      judged = aside = seeks = null;
      tries.end();
      clearTimeout(waiting);
      byId("show-me").hidden = byId("next-mistake").hidden = true;
      reveal(false);
      drawActs();
    },
    // What a mistake costs and what was better; after another move, the best one that follows.
    remarks(at) {
      if (aside) return aside.said ? [aside.said] : [];
      const mistake = mistakeBefore(at);
      const best = judged?.best[at]?.sentence;
      return mistake ? [mistake.sentence] : best ? [best] : [];
    },
    // What a mistake asks, while a better move is tried.
    prompt() {
      if (aside?.kind !== "try") return null;
      return fill(table.labels["what-is-better"], { move: review.caption(aside.mistake.number + 1) }, table.language);
    },
    // The grades of the moves, by their plies.
    grades() {
      const found = judged?.grades.flatMap((grade, number) =>
        grade ? [[pictures()[number + 1].view.ply - 1, grade]] : []);
      return Object.fromEntries(found ?? []);
    },
    tried: () => tries?.shown() ?? null,
    forHands: () => tries?.forHands() ?? null,
    act: (kind, fields) => tries?.act(kind, fields) ?? false,
    comeBack,
    next,
  };
}
