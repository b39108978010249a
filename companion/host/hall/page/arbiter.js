// SPDX-License-Identifier: Apache-2.0
// The arbiter's desk. The token stays in this tab; it is sent in a header or as the first WebSocket
// message, never in a URL.

import { el } from "../page/dom.js";
import { makeBoards } from "./desk_boards.js";
import { makeEvents } from "./desk_events.js";
import { makeTables } from "./desk_tables.js";
import { ask } from "./dialog.js";
import { clock, listen, loadLooks, points, seatedAt, words } from "./shared.js";

const { say, language, known } = await words();
const main = document.querySelector("#main");
const answer = document.querySelector("#answer");
const link = document.querySelector("#link");
const looks = {};
let token = sessionStorage.getItem("token");
let newest = null;
let refusals = 0;

const games = await (await fetch(`api/games?language=${language}`)).json();
const formats = await (await fetch("api/formats")).json();
const tools = { say, language, known, call, read, act, looks, newest: () => newest, fetchFile, games, formats };
const drawBoards = makeBoards(tools);
const events = makeEvents(tools);
const drawTables = makeTables(tools);

document.title = say("arbiter");
document.querySelector("h1").textContent = say("arbiter");
if (token) enter();
else showLogin();

// The answer to a POST of *body*, or null; shows *done* on success.
async function call(path, body, done = "") {
  const headers = { "Content-Type": "application/json", ...asked() };
  return told(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }), done);
}

async function read(path) {
  return told(fetch(path, { headers: asked() }));
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
  const asking = fetch(`api/desk/tournaments/${key}/${file}?language=${language}`, { headers: asked() });
  const reply = await asking.catch(() => null);
  if (!reply?.ok) {
    await told(asking);
    return;
  }
  const address = URL.createObjectURL(await reply.blob());
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
    sessionStorage.setItem("token", token);
    enter();
  };
  main.replaceChildren(
    el("form", { onsubmit: login }, el("label", {}, say("name"), name), el("label", {}, say("password"), password),
      el("button", { class: "act main", type: "submit" }, say("log_in"))),
  );
}

function leave() {
  sessionStorage.removeItem("token");
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
  main.replaceChildren(
    el("div", { class: "hall" },
      el("div", {}, part("alarms"), part("tournaments"), events.opening()),
      el("div", {}, part("boards"), part("tables"), part("book"),
        act("desk", "write_note", remark), " ", act("desk", "log_out", logOut)),
    ),
  );
  listen("api/desk", () => mine, draw, (isThere, code) => {
    if (mine !== token) return;
    link.textContent = say(isThere ? "connected" : "lost");
    link.dataset.state = isThere ? "connected" : "lost";
    if (code === 4401) leave();
  });
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
// readers.
function act(where, key, onclick, what = "") {
  const label = say(key);
  const attributes = { "data-name": `${where} ${key}`, "aria-label": what ? `${label}: ${what}` : null, onclick };
  return el("button", { class: "act", type: "button", ...attributes }, label);
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
  if (focused) place.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
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
  put("alarms", [what.alarms, what.faults, ...what.tournaments], () => [
    ...what.faults.map((fault) => el("p", { class: "fault" }, fault.said[language] ?? fault.text)),
    what.alarms.length ? el("ul", { class: "plain" }, ...what.alarms.map(alarm)) : el("p", {}, say("no_alarms")),
  ]);
  const place = document.querySelector("#boards");
  if (place) drawBoards(place, what.boards);
  const tables = document.querySelector("#tables");
  if (tables) tables.parentNode.hidden = !what.tables.by_code;
  put("tables", [what.tables], drawTables);
  const boards = what.boards.map((one) => one.board).join();
  put("tournaments", [...what.tournaments, boards], () => what.tournaments.map(events.draw));
  put("book", [what.book], () => [
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("book") },
      el("ol", { reversed: true }, ...[...what.book].reverse().map(bookLine))),
  ]);
}

function bookLine(entry) {
  const time = new Date(entry.at).toLocaleTimeString(language, { hour12: false });
  const attributes = { value: entry.number, class: entry.act.fault ? "fault" : null };
  return el("li", attributes, `${time} ${entry.by}: ${describe(entry)}`);
}

// An entry of the book in words; what its act lacks is left out.
function describe({ act: { is, key, note, text, fault, ...rest }, said }) {
  const of = newest.tournaments.find((one) => one.key === key);
  const round = rest.round?.number ?? rest.round ?? rest.lineup?.round;
  return [
    say(fault ? "refused" : `act_${is}`),
    key,
    rest.name ?? rest.player?.name ?? rest.lineup?.team,
    is === "Corrected" ? null : playerOrTeam(of, rest),
    rest.board,
    round && say("round", { number: round }),
    rest.table && `${say("table")} ${rest.table}`,
    rest.bye && say(`bye_${rest.bye}`),
    rest.points && score(rest),
    rest.command && describeOrder(rest.board, JSON.parse(rest.command)),
    rest.seconds === undefined ? null : `${rest.seconds / 60} ${say("minutes")}`,
    rest.reason && ending(rest.reason),
    note,
    text,
    fault && (said[language] ?? fault),
  ].filter(Boolean).join(" · ");
}

// The name behind an act's number or winner; in a tournament with boards the winner is a team.
function playerOrTeam(of, { number, winner }) {
  const player = of?.players[(number ?? (of.boards ? null : winner)) - 1];
  return player?.name ?? (of?.boards && of.teams.find((team) => team.number === winner)?.name);
}

function score({ points: halves, is_forfeit: isForfeit }) {
  return [halves.map((half) => points(half / 2)).join(":"), isForfeit && say("forfeit")].filter(Boolean).join(" ");
}

// The ending in the words of a game that has it.
function ending(reason) {
  return Object.values(looks).map((look) => look.endings[reason]).find(Boolean) ?? reason;
}

// A command for a board, with its argument.
function describeOrder(board, { is, side, turn, starts_clock: startsClock, by_ms: byMs, ply, moves, position, game }) {
  const sides = looks[newest.boards.find((one) => one.board === board)?.set]?.sides ?? [];
  const about = side ?? turn;
  return [
    say(`command_${startsClock ? "StartClock" : is}`),
    about === undefined ? "" : sides[about] ?? about + 1,
    byMs === undefined ? "" : `${byMs > 0 ? "+" : ""}${byMs / 1000} s`,
    ply === undefined ? "" : `${ply + 1}.`,
    moves?.join(" "),
    position,
    games.find((one) => one.slug === game)?.title,
  ].filter(Boolean).join(" ");
}

function alarm(one) {
  const name = newest.boards.find((board) => board.board === one.board)?.name ?? one.board;
  const seated = seatedAt(newest.tournaments, one.board);
  const text = say(`alarm_${one.kind}`, { text: one.said[language] ?? one.text });
  const goThere = (event) => {
    event.preventDefault();
    document.getElementById(`board-${one.board}`)?.focus();
    document.getElementById(`board-${one.board}`)?.scrollIntoView({ block: "center" });
  };
  const attributes = { href: `#board-${one.board}`, "data-name": `alarm ${one.board} ${one.kind}`, onclick: goThere };
  return el("li", { class: `urgency-${one.urgency}` },
    el("a", attributes, seated ? `${name} (${seated})` : name), `: ${text} (${clock(1000 * one.for_s)}) `,
    el("small", {}, say(`urgency_${one.urgency}`)));
}
