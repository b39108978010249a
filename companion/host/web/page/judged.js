// SPDX-License-Identifier: Apache-2.0
// The analysis of a game that is over, below its review: the value of each position as a curve, and the
// largest mistakes. "Show me" sets up the position on show as a new game against the computer.

import { el } from "./dom.js";
import { svg } from "./svg.js";
import { fill } from "./words.js";

const byId = (id) => document.getElementById(id);
const ASK_AGAIN_MS = 1000;

// *goTo* shows a position of the game, *caption* names its move, *isOver* says whether the game has ended there.
// *playOn* begins a game from a position; null: none can begin. *redraw* is called when there are new remarks.
export function makeJudged({ goTo, caption, isOver, playOn, redraw }) {
  const place = byId("judged");
  let table = null;
  let judged = null; // of this game, as far as it has come
  let waiting = null;
  let isWanted = false;

  async function ask() {
    clearTimeout(waiting);
    let found = null;
    try {
      const answer = await fetch(`analysis.json?language=${document.documentElement.lang}`);
      found = answer.ok ? await answer.json() : null;
    } catch {
      return; // the connection is down, which the page shows already
    }
    if (!isWanted || !found) return;
    judged = found;
    build();
    redraw();
    if (judged.done < judged.total) waiting = setTimeout(ask, ASK_AGAIN_MS);
  }

  const x = (number) => (100 * number) / Math.max(judged.total - 1, 1);
  const y = (value) => 10 - 9 * value;

  const line = (index, points) => svg("polyline", { class: `line-${index}`, points });

  function build() {
    const { labels } = table;
    const placed = (points) => points.map(([number, value]) => `${x(number)},${y(value)}`).join(" ");
    byId("curve").replaceChildren(
      svg("line", { x1: 0, y1: 10, x2: 100, y2: 10 }),
      ...judged.curves.map(({ points }, index) => line(index, placed(points))),
      ...judged.mistakes.map(({ number }) =>
        svg("line", { class: "mistake", x1: x(number + 1), y1: 1, x2: x(number + 1), y2: 19 })),
      svg("line", { id: "curve-here", y1: 0, y2: 20 }),
    );
    byId("curve").setAttribute("aria-label", labels.curve);
    byId("mistakes").setAttribute("aria-label", labels.mistakes);
    const count = Math.floor((100 * judged.done) / judged.total);
    const said = fill(labels.analysing, { count }, table.language);
    const progress = judged.done < judged.total ? [el("span", { role: "status" }, said)] : [];
    const buttons = judged.mistakes.map(({ number, sentence }) =>
      el("button", { type: "button", title: sentence, onclick: () => goTo(number) }, `${caption(number + 1)} ?`));
    byId("mistakes").replaceChildren(...legend(), ...progress, ...buttons);
    place.hidden = false;
    mark();
  }

  // With several curves each has the name of its side.
  function legend() {
    const sample = (index) => svg("svg", { viewBox: "0 0 30 4", "aria-hidden": "true" }, line(index, "0,2 30,2"));
    const name = ({ side }, index) => el("span", { class: "legend" }, sample(index), table.sides[side].name);
    return judged.curves.length > 1 ? judged.curves.map(name) : [];
  }

  let here = 0;
  function mark(number = here) {
    here = number;
    byId("show-me").hidden = !playOn || isOver(here);
    if (!judged) return;
    for (const end of ["x1", "x2"]) byId("curve-here")?.setAttribute(end, x(here));
  }

  byId("curve").addEventListener("click", ({ offsetX }) => {
    const width = byId("curve").clientWidth;
    if (judged && width) goTo(Math.round((offsetX / width) * (judged.total - 1)));
  });
  byId("show-me").addEventListener("click", () => playOn(here));

  return {
    table(now) {
      table = now;
    },
    // The review shows position *number* of a game that is over.
    show(number) {
      if (!isWanted) {
        isWanted = true;
        ask();
      }
      mark(number);
    },
    leave() {
      isWanted = false;
      judged = null;
      clearTimeout(waiting);
      place.hidden = true;
      byId("show-me").hidden = true;
    },
    // What was better than the move that was made; where that was no mistake, the best line.
    remarks(at) {
      if (!judged) return [];
      const wrong = judged.mistakes.filter(({ number }) => number === at).map(({ sentence }) => sentence);
      const best = judged.best[at]?.sentence;
      return wrong.length || !best ? wrong : [best];
    },
  };
}
