// SPDX-License-Identifier: Apache-2.0
// The spectators' page: all boards small, one of them large, and the standings.

import { el } from "../page/dom.js";
import {
  byeText, clockTexts, listen, loadLooks, points, seatedAt, sentence, smallBoard, standingsTable, teamTable, words,
} from "./shared.js";

const { say, language } = await words();
const cards = new Map();
const looks = {};
let newest = { boards: [], tournaments: [] };
let large = null;
let told = []; // the tournaments as drawn: unchanged ones keep their place under the finger

document.title = say("title");
document.querySelector("h1").textContent = say("title");
document.querySelector("#boards-title").textContent = say("boards");
const list = document.querySelector("#boards");
const side = document.querySelector("#tournaments");
const state = document.querySelector("#link");

listen("api/watch", null, take, (isThere) => {
  state.textContent = say(isThere ? "connected" : "lost");
  state.dataset.state = isThere ? "connected" : "lost";
});

// A state that arrived while sets were loading is drawn instead of the older one.
async function take(next) {
  newest = next;
  await loadLooks(looks, next.boards, language);
  const what = newest;
  document.querySelector("#empty").textContent = what.boards.length ? "" : say("no_boards");
  const here = new Set(what.boards.map((board) => board.board));
  for (const [name, card] of cards) {
    if (!here.has(name)) {
      card.element.remove();
      cards.delete(name);
    }
  }
  for (const board of what.boards) {
    if (!cards.has(board.board)) {
      cards.set(board.board, makeCard(board.board));
      list.append(cards.get(board.board).element);
    }
    cards.get(board.board).draw(board);
  }
  if (what.tournaments.length !== told.length || what.tournaments.some((of, index) => of !== told[index])) {
    told = what.tournaments;
    side.replaceChildren(...told.map(tournament));
  }
}

// How long after the move spectators see *board*, in milliseconds.
function delayOf(board) {
  const isSeated = (of) => of.rounds.some((round) => round.tables.some((table) => table.board === board));
  return Math.max(0, ...newest.tournaments.filter(isSeated).map((of) => 1000 * of.delay_s));
}

function makeCard(name) {
  const small = smallBoard(looks);
  const title = el("span");
  const live = el("small");
  const text = el("p");
  const clocks = el("p", { class: "clocks" });
  const onclick = () => show(large === name ? null : name);
  const enlarge = el("button", { type: "button", onclick }, el("h3", {}, title, live), small.element);
  const element = el("li", {}, enlarge, text, clocks);
  return {
    element,
    tick(board) {
      clockTexts(board, delayOf(name)).forEach((shown, index) => {
        if (clocks.children[index].textContent !== shown) clocks.children[index].textContent = shown;
      });
    },
    draw(board) {
      const { name: shown, set, glance } = board;
      title.textContent = seatedAt(newest.tournaments, name) ?? shown;
      live.textContent = looks[set]?.title ?? "";
      enlarge.setAttribute("aria-expanded", large === name);
      element.classList.toggle("large", large === name);
      small.draw(set, glance);
      const last = glance.move && say("announced", { move: glance.move });
      const said = ["result", "fault"].map((kind) => sentence(glance, kind, language));
      text.textContent = [last, ...(sentence(glance, "cries", language) || []), ...said].filter(Boolean).join(" · ");
      text.className = glance.fault ? "alarm" : "";
      const place = ({ is_running: isRunning }) => el("span", { class: isRunning ? "running" : null });
      clocks.replaceChildren(...(glance.clocks ?? []).map(place));
      this.tick(board);
    },
  };
}

function tournament(of) {
  const last = of.rounds.at(-1);
  const when = of.delay_s ? say("later", { minutes: Math.round(of.delay_s / 60) }) : say("live");
  return el(
    "section", {},
    el("h2", {}, `${of.name} · ${when}`),
    of.boards ? teamTable(of, say) : standingsTable(of, say),
    last ? el("h3", {}, last.is_playoff ? say("playoff_round") : say("round", { number: last.number })) : null,
    last?.matches.length ? el("ul", { class: "plain" }, ...last.matches.map(match)) : null,
    last ? roundTable(last) : null,
    el("p", {}, `${say("print")}: `, ...printed(of)),
    el("p", {}, link(of, "players.csv", "download_players"), " · ", link(of, "report.trf", "download_report")),
  );
}

function roundTable(round) {
  const heads = ["table", "players", "result"].map((key) => el("th", { scope: "col" }, say(key)));
  return el(
    "table", {},
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...round.tables.map(tableRow), ...round.byes.map(byeRow)),
  );
}

function link(of, file, key) {
  return el("a", { href: `api/tournaments/${of.key}/${file}` }, say(key));
}

function match(one) {
  const result = one.tables.length ? (one.points ?? []).map(points).join(" : ") || "…" : say("bye");
  return el("li", {}, `${one.teams.join(" – ")}: ${result}`);
}

function printed(of) {
  const kinds = [...(of.rounds.length ? ["pairings"] : []), "standings", "crosstable", ...(of.boards ? ["teams"] : [])];
  const links = kinds.map((kind) => link(of, `${kind}.pdf?language=${language}`, `print_${kind}`));
  return links.flatMap((each, index) => (index ? [" · ", each] : [each]));
}

function byeRow(bye) {
  return el("tr", {}, el("td"), el("td", {}, bye.name), el("td", {}, byeText(bye, say)));
}

function tableRow(table) {
  const further = table.further.map((game) => (game ? game.map(points).join(":") : "…")).join(" ");
  const result = [
    table.points ? table.points.map(points).join(" : ") : "",
    further && `(${further})`,
    table.decided && say("goes_on", { name: table.decided }),
  ].filter(Boolean).join(" ");
  const number = el("td", { class: "number" }, String(table.table));
  return el("tr", {}, number, el("td", {}, table.players.join(" – ")), el("td", {}, result));
}

function show(name) {
  large = name;
  newest.boards.forEach((board) => cards.get(board.board)?.draw(board));
}

setInterval(() => newest.boards.forEach((board) => cards.get(board.board)?.tick(board)), 250);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") show(null);
});

// For a big screen, one board after another: hall?rotate=20 shows each for 20 seconds, and then
// all.
const every = Number(new URLSearchParams(location.search).get("rotate"));
if (every > 0) {
  setInterval(() => {
    const names = [null, ...newest.boards.map((board) => board.board)];
    show(names[(names.indexOf(large) + 1) % names.length]);
  }, 1000 * every);
}
