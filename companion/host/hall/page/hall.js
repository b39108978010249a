// SPDX-License-Identifier: Apache-2.0
// The hall for those who watch: all boards small, one of them large, and how the tournaments stand.

import { clock, el, listen, points, smallBoard, standingsTable, words } from "./shared.js";

const { say, language } = await words();
const cards = new Map();
const looks = {};
let newest = { boards: [], tournaments: [] };
let large = null;

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

async function take(what) {
  newest = what;
  if (what.boards.some((board) => !looks[board.set])) {
    Object.assign(looks, await (await fetch(`api/sets?language=${language}`)).json());
  }
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
  side.replaceChildren(...what.tournaments.map(tournament));
}

function makeCard(name) {
  const small = smallBoard(looks);
  const title = el("span");
  const live = el("small");
  const text = el("p");
  const clocks = el("p", { class: "clocks" });
  const enlarge = el("button", { type: "button", onclick: () => show(large === name ? null : name) }, el("h3", {}, title, live), small.element);
  const element = el("li", {}, enlarge, text, clocks);
  return {
    element,
    draw({ name: shown, set, glance }) {
      title.textContent = players(name) ?? shown;
      live.textContent = looks[set]?.title ?? "";
      enlarge.setAttribute("aria-expanded", large === name);
      element.classList.toggle("large", large === name);
      small.draw(set, glance);
      const last = glance.move && say("announced", { move: glance.move });
      text.textContent = [last, ...(glance.cries ?? []), glance.result, glance.fault].filter(Boolean).join(" · ");
      text.className = glance.fault ? "alarm" : "";
      clocks.replaceChildren(...(glance.clocks ?? []).map((one) => el("span", { class: one.is_running ? "running" : null }, clock(one.left_ms))));
    },
  };
}

// Who sits at a board: in the last round of the tournament that was given it.
function players(board) {
  for (const { rounds } of newest.tournaments) {
    const found = rounds.at(-1)?.tables.find((table) => table.board === board);
    if (found) return found.players.join(" – ");
  }
  return null;
}

function tournament(of) {
  const last = of.rounds.at(-1);
  const when = of.delay_s ? say("later", { minutes: Math.round(of.delay_s / 60) }) : say("live");
  return el(
    "section", {},
    el("h2", {}, `${of.name} · ${when}`),
    standingsTable(of, say),
    last ? el("h3", {}, say("round", { number: last.number })) : null,
    last ? el("table", {}, el("tbody", {}, ...last.tables.map(row), ...last.byes.map((bye) => el("tr", {}, el("td"), el("td", {}, bye.name), el("td", {}, say("bye")))))) : null,
    el("p", {}, el("a", { href: `api/tournaments/${of.key}/players.csv` }, say("download_players")), " · ", el("a", { href: `api/tournaments/${of.key}/report.trf` }, say("download_report"))),
  );
}

function row(table) {
  const result = table.points ? table.points.map(points).join(" : ") : "";
  return el("tr", {}, el("td", { class: "number" }, String(table.table)), el("td", {}, table.players.join(" – ")), el("td", {}, result));
}

function show(name) {
  large = name;
  newest.boards.forEach((board) => cards.get(board.board)?.draw(board));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") show(null);
});

// On a big screen one board after another: hall?rotate=20 stays 20 seconds with each, and then with all.
const every = Number(new URLSearchParams(location.search).get("rotate"));
if (every > 0) {
  setInterval(() => {
    const names = [null, ...newest.boards.map((board) => board.board)];
    show(names[(names.indexOf(large) + 1) % names.length]);
  }, 1000 * every);
}
