// SPDX-License-Identifier: Apache-2.0
// The spectators' page: a wall of all boards, one of them large, and the standings.

import { el } from "../page/dom.js";
import { matches, tablesByBoard } from "./desk_states.js";
import { makeFavourites } from "./favourites.js";
import { makeOverlay } from "./overlay.js";
import {
  byeText, clockTexts, drawNames, listen, loadLooks, points, sentence, smallBoard, standingsTable, teamTable, words,
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
const favourites = makeFavourites(arrange);
const find = document.querySelector("#find");
const only = document.querySelector("#only");
const asked = new URLSearchParams(location.search);
const overlay = asked.has("overlay")
  ? makeOverlay({ name: asked.get("overlay"), looks, language, delayOf, seatedOf: (name) => seatedOf(name) })
  : null;

listen("api/watch", null, take, (isThere) => {
  state.textContent = say(isThere ? "connected" : "lost");
  state.dataset.state = isThere ? "connected" : "lost";
});

// A state that arrived while sets were loading is drawn instead of the older one.
async function take(next) {
  newest = next;
  await loadLooks(looks, next.boards, language);
  const what = newest;
  if (overlay) {
    overlay(what.boards);
    return;
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
  list.classList.toggle("one-game", new Set(what.boards.map(({ set }) => looks[set]?.title)).size === 1);
  arrange();
  if (what.tournaments.length !== told.length || what.tournaments.some((of, index) => of !== told[index])) {
    told = what.tournaments;
    side.replaceChildren(...told.map(tournament));
  }
}

const seatedOf = (name) => tablesByBoard(newest.tournaments).get(name)?.table.seated ?? [];

// Favourites come first, then the tables in their order; what is not looked for is hidden.
function arrange() {
  const tables = tablesByBoard(newest.tournaments);
  const entries = newest.boards.map((board) => {
    const table = tables.get(board.board)?.table;
    return { board, table, isFavourite: favourites.at(board.board, table?.seated ?? []) };
  });
  const number = ({ table }) => table?.table ?? Infinity;
  entries.sort((one, other) => other.isFavourite - one.isFavourite || number(one) - number(other) || 0);
  only.hidden = favourites.isEmpty();
  const isOnly = !only.hidden && only.getAttribute("aria-pressed") === "true";
  const shown = entries.filter((one) => matches(one, find.value) && (one.isFavourite || !isOnly));
  for (const one of entries) {
    const { element, star } = cards.get(one.board.board);
    element.hidden = !shown.includes(one);
    star.setAttribute("aria-pressed", String(favourites.has("board", one.board.board)));
    element.classList.toggle("favourite", one.isFavourite);
  }
  const order = entries.map((one) => cards.get(one.board.board).element);
  if (order.some((element, index) => list.children[index] !== element)) list.append(...order);
  fit(shown.length);
  for (const button of side.querySelectorAll("[data-follow]")) {
    button.setAttribute("aria-pressed", String(favourites.has("player", button.dataset.follow)));
  }
}

// All boards fit on a large screen, and are as large as that allows.
const DENSE_PX = 170; // narrower cards say less
const TEXT_PX = 72; // a card's lines besides its board
const DENSE_TEXT_PX = 52;
function fit(count) {
  const [width, height] = [list.clientWidth, list.clientHeight];
  const rowsFor = (columns) => Math.max(1, Math.ceil(count / columns));
  const isDense = (columns) => width / columns < DENSE_PX;
  const textOf = (columns) => (isDense(columns) ? DENSE_TEXT_PX : TEXT_PX);
  const size = (columns) => Math.min(width / columns, height / rowsFor(columns) - textOf(columns));
  const all = Array.from({ length: Math.max(1, count) }, (_, index) => index + 1);
  const columns = all.reduce((best, each) => (size(each) > size(best) ? each : best), 1);
  list.style.setProperty("--columns", columns);
  list.style.setProperty("--row", `${Math.max(84, Math.floor(height / rowsFor(columns)) - 6)}px`);
  list.classList.toggle("dense", isDense(columns));
}
new ResizeObserver(() => fit([...list.children].filter((card) => !card.hidden).length)).observe(list);

find.placeholder = say("find_board");
find.setAttribute("aria-label", say("find_board"));
find.addEventListener("input", arrange);
find.addEventListener("keydown", (event) => {
  const first = [...list.children].find((card) => !card.hidden);
  if (event.key === "Enter" && first && find.value.trim()) first.querySelector("button").click();
});
only.textContent = `★ ${say("only_favourites")}`;
only.addEventListener("click", () => {
  only.setAttribute("aria-pressed", String(only.getAttribute("aria-pressed") !== "true"));
  arrange();
});

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
  const enlarge = el("button", { type: "button", class: "enlarge", onclick }, el("h3", {}, title, live), small.element);
  const prefer = () => favourites.toggle("board", name);
  const star = el("button", { type: "button", class: "star", title: say("favourite"), onclick: prefer }, "★");
  const element = el("li", {}, enlarge, star, text, clocks);
  return {
    element,
    star,
    tick(board) {
      clockTexts(board, delayOf(name)).forEach((shown, index) => {
        if (clocks.children[index].textContent !== shown) clocks.children[index].textContent = shown;
      });
    },
    draw(board) {
      const { name: shown, set, glance } = board;
      const table = tablesByBoard(newest.tournaments).get(name)?.table;
      drawNames(title, table ? table.seated.map((player, at) => (at ? player : `${table.table} ${player}`)) : [shown]);
      title.title = title.textContent;
      star.setAttribute("aria-label", `${say("favourite")}: ${title.textContent}`);
      live.textContent = looks[set]?.title ?? "";
      enlarge.setAttribute("aria-expanded", large === name);
      element.classList.toggle("large", large === name);
      document.body.classList.toggle("enlarged", large !== null);
      small.draw(set, glance);
      const last = glance.move && say("announced", { move: glance.move });
      const said = ["result", "fault"].map((kind) => sentence(glance, kind, language));
      text.textContent = [last, ...(sentence(glance, "cries", language) || []), ...said].filter(Boolean).join(" · ");
      text.title = text.textContent;
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
    of.boards ? teamTable(of, say) : standingsTable(of, say, follow),
    last ? el("h3", {}, last.is_playoff ? say("playoff_round") : say("round", { number: last.number })) : null,
    last?.matches.length ? el("ul", { class: "plain" }, ...last.matches.map(match)) : null,
    last ? roundTable(last) : null,
    el("p", {}, `${say("print")}: `, ...printed(of)),
    el("p", {}, link(of, "players.csv", "download_players"), " · ", link(of, "report.trf", "download_report")),
  );
}

// The button by which a player is followed from round to round.
function follow(name) {
  const isOn = String(favourites.has("player", name));
  const onclick = () => favourites.toggle("player", name);
  const label = { "aria-label": `${say("follow")}: ${name}`, title: say("follow"), "aria-pressed": isOn, onclick };
  return el("button", { type: "button", class: "star", "data-follow": name, ...label }, "★");
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
