// SPDX-License-Identifier: Apache-2.0
// The arbiter's desk. The token stays in this tab; it is sent in a header or as the first WebSocket
// message, never in a URL.

import { el } from "../page/dom.js";
import { inTab } from "../page/storage.js";
import { makeAlarms } from "./desk_alarms.js";
import { makeBoards } from "./desk_boards.js";
import { makeBook } from "./desk_book.js";
import { makeConfirm } from "./desk_confirm.js";
import { makeEvents } from "./desk_events.js";
import { makeGrid } from "./desk_grid.js";
import { makeKeys } from "./desk_keys.js";
import { makePhotographs } from "./desk_photographs.js";
import { makeSearch } from "./desk_search.js";
import { makeTables } from "./desk_tables.js";
import { makeTogether } from "./desk_together.js";
import { ask } from "./dialog.js";
import { listen, loadLooks, words } from "./shared.js";

const { say, language, known } = await words();
const main = document.querySelector("#main");
const answer = document.querySelector("#answer");
const link = document.querySelector("#link");
const looks = {};
const [keptToken, keptName] = [inTab("token"), inTab("name")];
let token = keptToken.get();
let newest = null;
let refusals = 0;
const acted = []; // numbers of the book's entries, by act, so that the last one can be undone
const unanswered = new Set(); // acts on their way

const games = await (await fetch(`api/games?language=${language}`)).json();
const formats = await (await fetch("api/formats")).json();
let openBoard = null; // the board that is shown beside the overview
const tools = { say, language, known, call, read, act, looks, newest: () => newest, fetchFile, games, formats,
  me: () => keptName.get(), open: openBeside, opened: () => openBoard };
const confirmAll = makeConfirm(tools);
const together = makeTogether(tools);
const events = makeEvents({ ...tools, confirmAll, together });
const photographs = makePhotographs({ say, send, fetchBlob });
const boards = makeBoards({ ...tools, events, photographs });
const alarms = makeAlarms({ ...tools, confirmAll, removeLeft: boards.removeLeft });
const grid = makeGrid(tools);
const book = makeBook({ ...tools, photographs });
const search = makeSearch({ ...tools, grid, boards, events, takeAt: alarms.takeAt });
grid.search.replaceWith(search.element);
const keys = makeKeys({ say, search, atBoard: keysOfBoard, doing: {
  g: () => alarms.takeFirst(), c: () => confirmAll(), u: () => undo(), s: () => together.start(),
  "?": () => keys.show(), Escape: () => openBoard && openBeside(null),
} });
const drawTables = makeTables(tools);

document.title = say("arbiter");
document.querySelector("h1").textContent = say("arbiter");
if (token) enter();
else showLogin();

// The answer to a POST of *body*, or null; shows *done* on success.
async function call(path, body, done = "") {
  const headers = { "Content-Type": "application/json", ...asked() };
  const answered = told(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }), done).then((said) => {
    const numbers = said?.numbers ?? [said?.number].filter(Boolean);
    if (numbers.length) acted.push(numbers);
    return said;
  });
  unanswered.add(answered);
  return answered.finally(() => unanswered.delete(answered));
}

// Undoes what this desk did last, by opposite acts in the book. The last act may be shown before it is answered.
async function undo() {
  await Promise.allSettled(unanswered);
  const last = acted.pop();
  if (last) await call("api/undo", { numbers: last }, say("undone"));
}

// The keys of the open board: its result, pause and time.
function keysOfBoard() {
  const entry = openBoard && grid.entries().find((one) => one.board.board === openBoard);
  if (!entry) return null;
  const result = (verb) => () => search.act(entry, verb);
  return {
    "+": result("first"), "=": result("draw"), "-": result("second"), t: result("time"),
    p: result(entry.board.glance?.phase === "paused" ? "resume" : "pause"),
  };
}

// Sends a file as it is.
async function send(path, content, done) {
  return told(fetch(path, { method: "POST", headers: asked(), body: content }), done);
}

async function fetchBlob(path) {
  const asking = fetch(path, { headers: asked() });
  const reply = await asking.catch(() => null);
  if (reply?.ok) return reply.blob();
  await told(asking);
  return null;
}

async function read(path, done = "") {
  return told(fetch(path, { headers: asked() }), done);
}

function asked() {
  return { Authorization: `Bearer ${token}`, "Accept-Language": language };
}

// A board may refuse a command before its POST is answered: the refusal is newer and stays.
async function told(asking, done = "") {
  const before = refusals;
  const reply = await asking.catch(() => null);
  if (!reply) {
    answer.textContent = say("unanswered");
    answer.classList.add("fault");
    return null;
  }
  const said = await reply.json();
  if (!reply.ok || refusals === before) {
    answer.textContent = reply.ok ? (done instanceof Function ? done(said) : done) : complaint(said);
    answer.classList.toggle("fault", !reply.ok);
  }
  if (reply.status === 401) leave();
  return reply.ok ? said : null;
}

// Why a request was refused: one text, or a list with one for each wrong field.
function complaint({ detail }) {
  return [detail].flat().map((one) => one.msg ?? one).join("; ");
}

// Files of a tournament need the token in a header, so they are fetched and then opened by the
// browser.
async function fetchFile(key, file) {
  const blob = await fetchBlob(`api/desk/tournaments/${key}/${file}?language=${language}`);
  if (!blob) return;
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: `${key}-${file}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function showLogin() {
  const name = el("input", { required: true, autocomplete: "username" });
  const password = el("input", { type: "password", required: true, autocomplete: "current-password" });
  const login = async (event) => {
    event.preventDefault();
    const given = await call("api/login", { name: name.value, password: password.value });
    if (!given) return;
    token = given.token;
    keptToken.set(token);
    keptName.set(given.name);
    enter();
  };
  main.replaceChildren(
    el("form", { onsubmit: login }, el("label", {}, say("name"), name), el("label", {}, say("password"), password),
      el("button", { class: "act main", type: "submit" }, say("log_in"))),
  );
}

function leave() {
  document.body.classList.remove("desk");
  document.querySelector("#tools").replaceChildren();
  keptToken.set(null);
  token = null;
  link.textContent = "";
  delete link.dataset.state;
  showLogin();
}

async function logOut() {
  await call("api/logout", {});
  leave();
}

// The WebSocket of a revoked token lives on for a moment: it must not log out a new session.
function enter() {
  const mine = token;
  document.body.classList.add("desk");
  openBoard = null;
  document.querySelector("#tools").replaceChildren(
    act("desk", "undo", undo),
    act("all", "pause_all", () => together.pause(), say("all_boards")),
    act("all", "start_all", () => together.start(), say("all_boards")),
    alarms.toggle(), act("desk", "keys", () => keys.show()),
    act("desk", "write_note", remark), act("desk", "log_out", logOut));
  main.replaceChildren(
    el("div", { class: "side" }, part("alarms"),
      el("div", { class: "panel" }, part("tournaments"), events.opening(), part("tables"), part("book"))),
    grid.element,
    el("aside", { id: "open", hidden: true }),
  );
  listen("api/desk", () => mine, draw, (isThere, code) => {
    if (mine !== token) return;
    link.textContent = say(isThere ? "connected" : "lost");
    link.dataset.state = isThere ? "connected" : "lost";
    if (code === 4401) leave();
  });
}

// Shows *name* beside the overview, or none.
function openBeside(name) {
  const before = openBoard;
  openBoard = name;
  showOpen();
  grid.draw();
  if (name) document.getElementById(`board-${name}`)?.focus();
  else if (before) grid.focus(before);
}

function showOpen() {
  const place = document.querySelector("#open");
  if (!place || !newest) return;
  const board = newest.boards.find((one) => one.board === openBoard);
  if (!board) openBoard = null;
  place.hidden = !board;
  main.classList.toggle("beside", Boolean(board));
  boards.draw(place, board);
}

async function remark() {
  const given = await ask(say, say("write_note"), "", [{ key: "text", label: say("note"), rows: 3, required: true }]);
  if (given) call("api/acts", { is: "Noted", text: given.text.trim() });
}

function part(key) {
  const title = `${key}-title`;
  return el("section", { "aria-labelledby": title }, el("h2", { id: title }, say(key)), el("div", { id: key }));
}

// A button that keeps its focus when its part is redrawn; *what* distinguishes it for screen
// readers; a *mark* stands for its label where space is short.
function act(where, key, onclick, what = "", mark = null) {
  const label = say(key);
  const spoken = what ? `${label}: ${what}` : mark && label;
  const attributes = { "data-name": `${where} ${key}`, "aria-label": spoken, title: mark && label, onclick };
  return el("button", { class: "act", type: "button", ...attributes }, mark ?? label);
}

// Input is not disturbed: a part is redrawn only when its values change and it does not hold the
// focus.
const drawn = {};
function put(key, content, make) {
  const place = document.getElementById(key);
  const before = drawn[key];
  if (!place || (before?.place === place && isEqual(before.content, content))) return;
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  if (active?.matches("input, textarea, select")) return;
  drawn[key] = { place, content };
  const focused = active ? active.dataset.name : null;
  const open = valuesByName(place, "details", "open");
  const typed = valuesByName(place, "textarea", "value");
  place.replaceChildren(...make());
  for (const each of place.querySelectorAll("textarea[data-name]")) each.value = typed[each.dataset.name] ?? "";
  for (const each of place.querySelectorAll("details[data-name]")) each.open = open[each.dataset.name] ?? each.open;
  if (focused) place.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function isEqual(these, those) {
  return these.length === those.length && these.every((each, index) => each === those[index]);
}

// A property of each named element with *tag* in *place*.
function valuesByName(place, tag, property) {
  const elements = [...place.querySelectorAll(`${tag}[data-name]`)];
  return Object.fromEntries(elements.map((each) => [each.dataset.name, each[property]]));
}

// A board's refusal is announced, too: the command may have waited for hours.
let heard = null;
function tellRefusals(book) {
  for (const entry of book.filter((each) => heard !== null && each.number > heard && each.act.fault)) {
    answer.textContent = `${entry.by}: ${say("refused")}: ${entry.said[language] ?? entry.act.fault}`;
    answer.classList.add("fault");
    refusals += 1;
  }
  heard = book.at(-1)?.number ?? 0;
}

// A state that arrived while sets were loading is drawn instead of the older one.
async function draw(next) {
  newest = next;
  tellRefusals(next.book);
  await loadLooks(looks, next.boards, language, "api/desk/sets", asked());
  const what = newest;
  put("alarms", [...what.alarms, ...what.faults, ...what.tournaments], () => alarms.draw(what.faults));
  grid.draw();
  showOpen();
  const tables = document.querySelector("#tables");
  if (tables) tables.parentNode.hidden = !what.tables.by_code;
  put("tables", [what.tables], drawTables);
  const names = what.boards.map((one) => one.board).join();
  put("tournaments", [...what.tournaments, names], () => events.inOrder(what.tournaments).map(events.draw));
  put("book", [what.book], () => book.draw(what.book));
}
