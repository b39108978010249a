// SPDX-License-Identifier: Apache-2.0
// The arbiter's desk. The token stays in this tab and is sent in a header, or as the first word of a line; never in an address.

import { clock, el, listen, points, standingsTable, words } from "./shared.js";

const { say } = await words();
const main = document.querySelector("#main");
const answer = document.querySelector("#answer");
const link = document.querySelector("#link");
let token = sessionStorage.getItem("token");
let newest = null;

document.title = say("arbiter");
document.querySelector("h1").textContent = say("arbiter");
if (token) enter();
else showLogin();

async function call(path, body) {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const told = await reply.json();
  answer.textContent = reply.ok ? "" : told.detail;
  if (reply.status === 401) leave();
  return reply.ok ? told : null;
}

function showLogin() {
  const name = el("input", { required: true, autocomplete: "username" });
  const password = el("input", { type: "password", required: true, autocomplete: "current-password" });
  const login = async (event) => {
    event.preventDefault();
    const told = await call("api/login", { name: name.value, password: password.value });
    if (!told) return;
    token = told.token;
    sessionStorage.setItem("token", token);
    enter();
  };
  main.replaceChildren(
    el("form", { onsubmit: login }, el("label", {}, say("name"), name), el("label", {}, say("password"), password), button("log_in", null, true)),
  );
}

function leave() {
  sessionStorage.removeItem("token");
  token = null;
  showLogin();
}

function enter() {
  main.replaceChildren(
    el("div", { class: "hall" },
      el("div", {}, part("alarms"), part("tournaments"), opening()),
      el("div", {}, part("boards"), part("book"), button("log_out", async () => { await call("api/logout", {}); leave(); })),
    ),
  );
  listen("api/desk", () => token, draw, (isThere, code) => {
    link.textContent = say(isThere ? "connected" : "lost");
    link.dataset.state = isThere ? "connected" : "lost";
    if (code === 4401) leave();
  });
}

function part(key) {
  return el("section", { "aria-labelledby": `${key}-title` }, el("h2", { id: `${key}-title` }, say(key)), el("div", { id: key }));
}

function button(key, onclick, isMain = false) {
  return el("button", { class: isMain ? "act main" : "act", type: onclick ? "button" : "submit", ...(onclick ? { onclick } : {}) }, say(key));
}

// Whoever types is not disturbed: a part is drawn anew only when it has changed and does not hold the focus.
const drawn = {};
function put(key, content, make) {
  const text = JSON.stringify(content);
  const place = document.getElementById(key);
  if (!place || drawn[key] === text || (place.contains(document.activeElement) && document.activeElement.matches("input, textarea, select"))) return;
  drawn[key] = text;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  place.replaceChildren(...make());
  if (focused) place.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

function draw(what) {
  newest = what;
  put("alarms", what.alarms.map(({ for_s, ...rest }) => [rest, Math.floor(for_s / 10)]).concat(what.faults), () => [
    ...what.faults.map((fault) => el("p", { class: "fault" }, fault)),
    what.alarms.length ? el("ul", {}, ...what.alarms.map(alarm)) : el("p", {}, say("no_alarms")),
  ]);
  put("boards", what.boards, () => what.boards.map(board));
  put("tournaments", [what.tournaments, what.boards.map((one) => one.board)], () => what.tournaments.map(tournament));
  put("book", what.book, () => [
    el("ol", { reversed: true }, ...[...what.book].reverse().map((entry) =>
      el("li", { value: entry.number }, `${entry.at.slice(11, 19)} ${entry.by}: ${entry.act.is} ${describe(entry.act)}`))),
  ]);
}

function describe({ is, key, note, text, ...rest }) {
  return [key, note, text, rest.board, rest.round && `#${rest.round.number ?? rest.round}`, rest.table, rest.reason].filter(Boolean).join(" · ");
}

function alarm(one) {
  const name = newest.boards.find((board) => board.board === one.board)?.name ?? one.board;
  return el("li", { class: `urgency-${one.urgency}` }, `${name}: ${one.kind === "silent" ? say("silent") : one.text} (${clock(1000 * one.for_s)})`);
}

function board(one) {
  const order = (command) => call("api/orders", { board: one.board, command });
  const glance = one.glance ?? {};
  const stand = glance.is_completed ? [act(one.board, "let_stand", () => order({ is: "LetStand", turn: 1 - (glance.turn ?? 0) }))] : [];
  return el("section", {},
    el("h3", {}, `${one.name} · ${one.is_silent ? say("silent") : glance.phase ?? ""}`),
    el("p", {}, [glance.move, ...(glance.cries ?? []), glance.fault, glance.question, glance.result, one.trouble].filter(Boolean).join(" · ")),
    el("p", {}, (glance.clocks ?? []).map((each) => clock(each.left_ms)).join(" – ")),
    el("p", { role: "group", "aria-label": say("orders") },
      glance.phase === "paused" ? act(one.board, "resume", () => order({ is: "Resume" })) : act(one.board, "pause", () => order({ is: "Pause" })),
      act(one.board, "take_back", () => order({ is: "TakeBack" })), act(one.board, "new_game", () => order({ is: "NewGame" })), ...stand),
  );
}

function act(where, key, onclick) {
  const made = button(key, onclick);
  made.dataset.name = `${where} ${key}`;
  return made;
}

function tournament(of) {
  const last = of.rounds.at(-1);
  const roster = el("textarea", { rows: 4, "aria-label": say("enter_players") });
  roster.placeholder = say("enter_players");
  const enterAll = async () => {
    document.activeElement.blur();
    await call(`api/tournaments/${of.key}/players`, { csv: roster.value });
  };
  const pair = () => call(`api/tournaments/${of.key}/rounds`, {});
  const drop = () => call("api/acts", { is: "RoundDropped", key: of.key });
  return el("section", {},
    el("h3", {}, `${of.name} · ${of.format} · ${of.game}`),
    standingsTable(of, say),
    el("p", {}, roster, act(of.key, "enter", enterAll)),
    el("p", {}, act(of.key, "pair", pair), last && last.tables.every((each) => each.points === null) ? act(of.key, "drop_round", drop) : null),
    last ? el("h4", {}, say("round", { number: last.number })) : null,
    last ? el("div", { class: "wide" }, el("table", {}, el("tbody", {}, ...last.tables.map((table) => row(of, last, table))))) : null,
    last ? el("p", {}, last.byes.map((bye) => `${bye.name}: ${say("bye")}`).join(" · ")) : null,
  );
}

function row(of, last, table) {
  const place = { key: of.key, round: last.number, table: table.table };
  const where = `${of.key} ${table.table}`;
  const decide = (value, is_forfeit = false) => call("api/acts", { is: "ResultDecided", ...place, points: value, ...(is_forfeit ? { is_forfeit } : {}) });
  const give = (event) => {
    event.target.blur();
    call(`api/tournaments/${of.key}/boards`, { round: last.number, table: table.table, board: event.target.value });
  };
  const choices = newest.boards.map((one) => el("option", { value: one.board, selected: one.board === table.board }, one.name));
  const seat = el("select", { "aria-label": `${say("board")} ${table.table}`, onchange: give }, el("option", { value: "" }, "–"), ...choices);
  const told = table.told ? act(where, "confirm", () => decide(table.told.map((value) => 2 * value))) : null;
  const byHand = table.points || table.players.length !== 2 ? [] : [[2, 0], [1, 1], [0, 2]].map((value) => {
    const made = el("button", { class: "act", type: "button", onclick: () => decide(value) }, value.map((half) => points(half / 2)).join(":"));
    made.dataset.name = `${where} ${value}`;
    return made;
  });
  const shown = table.points ?? table.told;
  return el("tr", {},
    el("td", { class: "number" }, String(table.table)), el("td", {}, table.players.join(" – ")), el("td", {}, seat),
    el("td", {}, shown ? `${shown.map(points).join(" : ")}${table.points ? "" : " ?"}` : ""),
    el("td", {}, told, ...byHand, table.points ? act(where, "take_back_result", () => decide(null)) : null));
}

function opening() {
  const fields = Object.fromEntries(["key", "name", "game", "rounds", "delay"].map((key) => [key, el("input", { required: key !== "rounds" && key !== "delay", ...(key === "rounds" || key === "delay" ? { type: "number", min: 0, max: 60, value: 0 } : {}) })]));
  const format = el("select", {}, ...["swiss", "round-robin", "double-round-robin", "knockout", "free"].map((value) => el("option", { value }, value)));
  const open = async (event) => {
    event.preventDefault();
    const told = await call("api/acts", {
      is: "Opened", key: fields.key.value, name: fields.name.value, format: format.value, game: fields.game.value,
      planned: Number(fields.rounds.value), tie_breaks: format.value === "swiss" ? ["buchholz-cut-1", "buchholz", "direct-encounter"] : ["direct-encounter", "sonneborn-berger", "wins"],
    });
    if (told && Number(fields.delay.value)) await call("api/acts", { is: "DelaySet", key: fields.key.value, seconds: 60 * Number(fields.delay.value) });
    if (told) event.target.reset();
  };
  return el("details", {}, el("summary", {}, say("open_tournament")),
    el("form", { onsubmit: open },
      ...["key", "name", "game"].map((key) => el("label", {}, say(key), fields[key])), el("label", {}, say("format"), format),
      el("label", {}, say("rounds"), fields.rounds), el("label", {}, `${say("delay")} (${say("minutes")})`, fields.delay), button("open", null, true)));
}
