// SPDX-License-Identifier: Apache-2.0
// Ratings after a tournament: Elo in chess, the club's own in other games.

import { el } from "../page/dom.js";
import { points } from "./shared.js";

const COLUMNS = {
  before: ["rating_before", (one) => one.before || "–"],
  games: ["rating_games", (one) => one.games],
  score: ["points", (one) => points(one.score)],
  performance: ["tie_performance", (one) => one.performance || "–"],
  k: ["K", (one) => one.k || "–"],
  change: ["rating_change", (one) => (one.before ? signed(one.change) : "–")],
  rating: ["tie_rating", (one) => one.rating || "–"],
  deviation: ["±", (one) => one.deviation],
};
const ELO = ["rating", "change", "before", "games", "score", "performance", "k"];
const CLUB = ["rating", "deviation", "change", "before", "games", "score"];
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value)}`;

export function makeRatings({ say, known, read }) {
  const label = (key) => (known.includes(key) ? say(key) : key);

  function table({ is_elo: isElo, lines }) {
    const columns = (isElo ? ELO : CLUB).map((key) => COLUMNS[key]);
    const head = [el("th", { scope: "col" }, say("name")),
      ...columns.map(([key]) => el("th", { scope: "col", class: "number" }, label(key)))];
    const row = (one) => el("tr", {}, el("td", {}, one.name),
      ...columns.map(([, value]) => el("td", { class: "number" }, String(value(one)))));
    const body = [...lines].sort((one, other) => other.rating - one.rating).map(row);
    return [
      el("p", {}, el("small", {}, say(isElo ? "ratings_elo" : "ratings_club"))),
      el("div", { class: "wide ratings", tabindex: "0", role: "group", "aria-label": say("ratings") },
        el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body))),
    ];
  }

  // The table is fetched when somebody opens it: few look before the end.
  return function ratings(of) {
    if (!of.game || !of.rounds.length) return null;
    const body = el("div");
    const open = async ({ target }) => {
      const found = target.open && (await read(`api/desk/tournaments/${of.key}/ratings`));
      body.replaceChildren(...(found ? table(found) : []));
    };
    return el("details", { "data-name": `${of.key} ratings`, ontoggle: open }, el("summary", {}, say("ratings")), body);
  };
}
