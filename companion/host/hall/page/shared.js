// SPDX-License-Identifier: Apache-2.0
// Shared by the hall's pages: words, small boards, and a reconnecting WebSocket.

import { makeBoard } from "../page/board.js";
import { face, now } from "../page/clocks.js";
import { el } from "../page/dom.js";
import { svg } from "../page/svg.js";
import { makeSay } from "../page/words.js";

export async function words() {
  const asked = new URLSearchParams(location.search).get("language") ?? ""; // otherwise the server uses the browser's languages
  const [reply] = await Promise.all([fetch(`api/words?language=${encodeURIComponent(asked)}`), compareClocks()]);
  const { language, words: texts } = await reply.json();
  document.documentElement.lang = language;
  return { say: makeSay(texts, language), language, known: Object.keys(texts) };
}

// A pressed element stays until it is released: replaced in between, it would lose the click.
let isPressed = false;
const postponed = new Set();
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { isPressed = true; }, true);
for (const kind of ["pointerup", "pointercancel", "keyup", "blur"]) addEventListener(kind, () => setTimeout(release), true);
function release() {
  isPressed = false;
  for (const show of postponed) show();
  postponed.clear();
}

// The names of *players*, separated by a dash, which styles may hide to put one below the other.
export function drawNames(element, players) {
  if (element.textContent === players.join(" – ")) return;
  element.replaceChildren(...players.flatMap((player, at) => [at ? el("i", {}, " – ") : "", el("span", {}, player)]));
}

// `b9` sorts before `b10`.
export function inOrder(one, other) {
  return one.localeCompare(other, undefined, { numeric: true });
}

// Calls *take* with every new state, assembled from its parts; *hello* is sent first. Reconnects
// with growing delays.
export function listen(path, hello, take, tell) {
  let wait = 250;
  let parts = {};
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const named = (kind) => Object.keys(parts).filter((name) => name.startsWith(kind)).sort(inOrder).map((name) => parts[name]);
  const show = () => take({ ...parts, boards: named("board/"), tournaments: named("tournament/") });
  const open = () => {
    const line = new WebSocket(url);
    line.onopen = () => {
      wait = 250;
      compareClocks();
      if (hello) line.send(hello());
      tell(true);
    };
    line.onmessage = ({ data }) => {
      const said = JSON.parse(data);
      parts = said.all ?? { ...parts, ...said.changed };
      for (const [name, patch] of Object.entries(said.patched ?? {})) parts[name] = patched(parts[name], patch);
      for (const name of said.gone ?? []) delete parts[name];
      if (isPressed) postponed.add(show);
      else show();
    };
    line.onclose = ({ code }) => {
      tell(false, code);
      if (code === 4401) return;
      setTimeout(open, wait);
      wait = Math.min(2 * wait, 5000);
    };
  };
  open();
}

// Applies a JSON merge patch (RFC 7396) to *value*: a new object, so that a change is noticed.
function patched(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const made = value && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete made[key];
    else made[key] = patched(made[key], change);
  }
  return made;
}

// A small board: rebuilt when its set changes, drawn when its glance does.
export function smallBoard(looks) {
  const root = svg("svg", { role: "img" });
  const holder = el("div", { inert: true }, root);
  let known = null;
  let board = null;
  return {
    element: holder,
    draw(name, glance) {
      const look = looks[name];
      if (!look || !glance) return;
      if (name !== known) {
        board = makeBoard(root, look);
        known = name;
      }
      const pieces = Object.values(glance.pieces).map((piece) => ({
        side: null, facing: null, pose: "standing", ...piece, name: look.kinds[piece.kind] ?? piece.kind, face: piece.pose ?? "",
      }));
      const view = { pieces, lifted: [], targets: [], guides: [], hands: [], regions: look.regions };
      board.draw({ view, virtual: null, lamps: { cells: [] } });
      const last = [...(glance.source ?? []), ...(glance.target ?? [])];
      root.querySelectorAll("[data-cell]").forEach((cell) => cell.classList.toggle("last", last.includes(Number(cell.dataset.cell))));
      root.setAttribute("aria-label", `${look.title}: ${glance.move ?? ""} ${glance.result ?? ""}`);
    },
  };
}

// The hall's time as known to this browser; queried with every connection.
let ahead = 0;
export async function compareClocks() {
  const before = performance.now();
  const reply = await fetch("api/clock").catch(() => null);
  if (!reply?.ok) return;
  const { now_ms: now } = await reply.json();
  ahead = (before + performance.now()) / 2 - now;
}

// The present time of the hall's clock.
export function hallNow() {
  return performance.now() - ahead;
}

// The present times of *board*'s clocks for those who see it *delay* ms later, as the table's own
// page computes them.
const PLAIN = { spans: 0, delay_ms: 0, span_ms: 0, is_in_span: false, is_growing: false };
export function clockTexts({ glance, clock_offset_ms: offset = 0 }, delay = 0) {
  const here = performance.now() - ahead - delay;
  return (glance?.clocks ?? []).map((clock) => face(now({ ...PLAIN, ...clock }, here - clock.at_ms + offset)));
}

export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (parts[0] ? parts : parts.slice(1)).map((part, index) => String(part).padStart(index ? 2 : 1, "0")).join(":");
}

export function points(value) {
  return value === null || value === undefined ? "" : String(Math.floor(value) || (value % 1 ? "" : 0)) + (value % 1 ? "½" : "");
}

// The players at a board: in the last round of the tournament that uses it.
export function seatedAt(tournaments, board) {
  for (const { rounds } of tournaments) {
    const found = rounds.at(-1)?.tables.find((table) => table.board === board);
    if (found) return found.seated.join(" – ");
  }
  return null;
}

// A bye, with its points.
export function byeText({ bye }, say) {
  return `${say("bye")} (${points({ half: 0.5, zero: 0 }[bye] ?? 1)})`;
}

// *mark* makes an element beside a player's name.
export function standingsTable(tournament, say, mark = null) {
  const hasPlayoff = tournament.standings.some((line) => line.playoff !== null);
  return rankTable(tournament.name, say("standings"), tournament.standings, [
    [short("#", say("rank")), (line) => line.rank], [say("player"), (line) => line.name, true, mark], [say("points"), (line) => points(line.points)],
    ...(hasPlayoff ? [[say("playoff_round"), (line) => points(line.playoff)]] : []),
  ], tournament.boards ? [] : tieColumns(tournament, say));
}

export function teamTable(tournament, say) {
  return rankTable(tournament.name, say("team_standings"), tournament.teams, [
    [short("#", say("rank")), (line) => line.rank], [say("team"), (line) => line.name, true], [say("match_points"), (line) => line.points],
    [say("board_points"), (line) => points(line.board_points)],
  ], tieColumns(tournament, say).filter(({ name }) => name !== "board-points"));
}

const short = (text, title) => el("abbr", { title }, text);

// The tie-breaks of a tournament: the federation's code heads the column, the legend names it.
function tieColumns(tournament, say) {
  return tournament.tie_breaks.map((name, index) => ({
    name, code: tournament.tie_codes[index], text: say(`tie_${name}`), cell: (line) => line.tie_breaks[index] }));
}

// Wide tables scroll by themselves, also with the keyboard.
function rankTable(name, caption, lines, plain, ties) {
  const legend = ties.map(({ code, text }) => `${code}: ${text}`).join(" · ");
  const columns = [...plain, ...ties.map(({ code, text, cell }) => [short(code, text), cell])];
  return el(
    "div", { class: "wide", tabindex: "0", role: "group", "aria-label": `${name}: ${caption}` },
    el(
      "table", { class: "ranks" },
      el("caption", {}, caption, legend ? el("small", {}, legend) : null),
      el("thead", {}, el("tr", {}, ...columns.map(([head, , isText]) => el("th", { scope: "col", class: isText ? null : "number" }, head)))),
      el("tbody", {}, ...lines.map((line) =>
        el("tr", {}, ...columns.map(([, cell, isText, mark = null]) =>
          el("td", { class: isText ? null : "number" }, mark ? el("div", { class: "marked" }, mark(cell(line)), cell(line)) : String(cell(line))))))),
    ),
  );
}

// The text *kind* of a glance, in *language* if available.
export function sentence(glance, kind, language) {
  return (glance.said?.find((said) => said.language === language) ?? glance)[kind] ?? "";
}

// The appearance of all sets of *boards*, requested once; failed requests are repeated with the
// next state.
export async function loadLooks(looks, boards, language, path = "api/sets", headers = {}) {
  const missing = [...new Set(boards.map((board) => board.set))].filter((name) => !looks[name]).slice(0, 50);
  if (!missing.length) return;
  const query = new URLSearchParams([["language", language], ...missing.map((name) => ["name", name])]);
  const reply = await fetch(`${path}?${query}`, { headers }).catch(() => null);
  if (reply?.ok) Object.assign(looks, await reply.json());
}
