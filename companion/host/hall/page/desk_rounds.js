// SPDX-License-Identifier: Apache-2.0
// The rounds of a tournament at the desk: its tables and matches, their boards, results and decisions.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { byeText, drawNames, points } from "./shared.js";

const RESULTS = [[2, 0], [1, 1], [0, 2]]; // of two at a table, in half points
const HEADS = ["table", "players", "board", "result"];

const inPoints = (halves, between) => halves.map((half) => points(half / 2)).join(between);

export function makeRounds({ say, act, write, note, newest, seating }) {
  const title = (round) => (round.is_playoff ? say("playoff_round") : say("round", { number: round.number }));
  const placeOf = (of, round, table) => ({ key: of.key, round: round.number, table: table.table });
  const namesOf = (table) => table.players.join(" – ");

  // The fields that ask for a result: one of a few between two, else the rank of each player.
  function resultFields(table) {
    if (table.numbers.length === 2) {
      const options = [...RESULTS, [0, 0]].map((value) => ({ value: value.join(","), label: inPoints(value, " : ") }));
      const value = (table.points ?? []).map((one) => 2 * one).join(",");
      return [{ key: "points", label: say("result"), type: "select", options, value }];
    }
    const ranks = table.points?.map((one) => 1 + table.points.filter((other) => other > one).length);
    const rank = { type: "number", min: 1, max: table.players.length, required: true };
    return table.players.map((name, seat) => ({ ...rank, key: `place ${seat}`, label: `${say("rank")}: ${name}`, value: ranks?.[seat] ?? "" }));
  }

  // Half points of each player: between several a win for each player behind, a draw for each of the same rank.
  function chosenPoints(table, given) {
    if (table.numbers.length === 2) return given.points.split(",").map(Number);
    const ranks = table.players.map((_, seat) => Number(given[`place ${seat}`]));
    const against = (one, other) => 1 + Math.sign(other - one);
    return ranks.map((one, seat) => ranks.reduce((sum, other, at) => sum + (at === seat ? 0 : against(one, other)), 0));
  }

  // Enters a result; one that contradicts the board's report is asked about.
  async function enter(of, round, table, result) {
    const body = { is: "ResultDecided", ...placeOf(of, round, table), ...result };
    const said = await write(body);
    if (!said?.reported) return;
    const entered = [inPoints(result.points, " : "), result.is_forfeit && say("forfeit")].filter(Boolean).join(" ");
    const texts = { names: namesOf(table), reported: inPoints(said.reported, " : "), result: entered };
    const field = { ...note(), value: result.note ?? "" };
    const given = await ask(say, say("over_report_title"), say("over_report", texts), [field]);
    if (given) write({ ...body, note: given.note, over_report: true });
  }

  async function change(of, round, table) {
    const heading = `${say("change_result_title")}: ${say("table")} ${table.table}`;
    const forfeits = [{ value: "", label: "–" }, { value: "forfeit", label: say("forfeit") }];
    const given = await ask(say, heading, `${namesOf(table)}. ${say("warn_result")}`, [
      ...resultFields(table),
      { key: "how", label: say("forfeit"), type: "select", options: forfeits, value: table.is_forfeit ? "forfeit" : "" },
      note("note", !table.is_on),
    ]);
    if (!given) return;
    enter(of, round, table, { points: chosenPoints(table, given), is_forfeit: given.how === "forfeit", note: given.note });
  }

  async function takeBack(of, round, table) {
    const given = await ask(say, say("take_back_result"), say("warn_result"), [note()]);
    if (given) write({ is: "ResultDecided", ...placeOf(of, round, table), points: null, note: given.note });
  }

  async function decideWinner(of, round, table, players) {
    const given = await ask(say, say("decide_winner_title"), "", [
      { key: "winner", label: say("decide_winner_title"), type: "select", options: players },
      note("by_rule", true),
    ]);
    if (!given) return;
    write({ is: "WinnerDecided", key: of.key, round: round.number, table, winner: Number(given.winner), note: given.note });
  }

  // The list of boards, by which a table of the last round is given another one.
  function boardList(of, round, table) {
    const give = async ({ target }) => {
      target.blur();
      const isGiven = await seating.give(of, { round: round.number, table: table.table, board: target.value });
      if (!isGiven) target.value = table.board ?? "";
    };
    const option = (one) => el("option", { value: one.board, selected: one.board === table.board }, one.name);
    return el("select", { "aria-label": `${say("board")} ${table.table}`, onchange: give },
      el("option", { value: "" }, "–"),
      ...newest().boards.map(option));
  }

  function resultText(table) {
    const shown = table.reported ?? table.points;
    const result = shown ? `${shown.map(points).join(" : ")}${table.reported ? " ?" : ""}` : "";
    const further = table.further.map((game) => (game ? game.map(points).join(":") : "…")).join(" ");
    const decided = table.decided && say("goes_on", { name: table.decided });
    return [result, further && `(${further})`, decided].filter(Boolean).join(" ");
  }

  // A button for each result that two at a table can have.
  function resultButtons(where, table, decide) {
    return RESULTS.map((value) => {
      const label = inPoints(value, ":");
      const attributes = {
        class: "act",
        type: "button",
        "data-name": `${where} ${value}`,
        "aria-label": `${namesOf(table)} ${label}`,
        onclick: () => decide(value),
      };
      return el("button", attributes, label);
    });
  }

  function tableActs(of, round, table, where) {
    const place = placeOf(of, round, table);
    const names = namesOf(table);
    const isLast = round === of.rounds.at(-1);
    const two = table.numbers.length === 2;
    const isCup = (of.format === "knockout" || round.is_playoff) && !of.boards;
    const needsWinner = isCup && table.points && !table.is_on && table.winner === null;
    const players = table.numbers.map((value, index) => ({ value, label: table.players[index] }));
    const decide = (value) => enter(of, round, table, { points: value });
    const confirm = () => decide(table.reported.map((value) => 2 * value));
    const takeBackDecision = () => write({ is: "WinnerDecided", ...place, winner: 0 });
    return [
      table.reported ? act(where, "confirm", confirm, names) : null,
      ...(table.is_on && two ? resultButtons(where, table, decide) : []),
      act(where, "change_result", () => change(of, round, table), names, "…"),
      table.decided && !of.boards ? act(where, "take_back_decision", takeBackDecision, names) : null,
      table.points && two ? act(where, "take_back_result", () => takeBack(of, round, table), names, "↶") : null,
      needsWinner && isLast ? act(where, "play_on", () => write({ is: "PlayedOn", ...place })) : null,
      needsWinner ? act(where, "decide_winner", () => decideWinner(of, round, table.table, players)) : null,
    ];
  }

  const nameFor = (of, round, table) => `${of.key} ${round === of.rounds.at(-1) ? "" : `${round.number}.`}${table.table}`;

  function names(players) {
    const cell = el("td", { class: "who" });
    drawNames(cell, players);
    return cell;
  }

  function row(of, round, table) {
    const isLast = round === of.rounds.at(-1);
    const state = table.is_on ? (table.reported ? "reported" : "open") : "decided";
    return el("tr", { "data-state": state },
      el("td", { class: "number" }, String(table.table)),
      names(table.players),
      el("td", {}, isLast ? boardList(of, round, table) : table.board ?? ""),
      el("td", { class: "orders" }, el("b", {}, resultText(table)), " ", ...tableActs(of, round, table, nameFor(of, round, table)).filter(Boolean)));
  }

  function match(of, round, one, index) {
    const result = one.tables.length ? (one.points ?? []).map(points).join(" : ") || "…" : say("bye");
    const decided = one.decided ? ` · ${say("goes_on", { name: one.decided })}` : "";
    const isDrawn = one.points && one.points[0] === one.points[1] && one.teams.length === 2;
    const needsWinner = of.format === "knockout" && isDrawn && !one.decided;
    const numbers = Object.fromEntries(of.teams.map((team) => [team.name, team.number]));
    const teams = one.teams.map((label) => ({ value: numbers[label], label }));
    const decide = () => decideWinner(of, round, index + 1, teams);
    return el("li", {},
      `${one.teams.join(" – ")}: ${result}${decided} `,
      needsWinner ? act(`${of.key} match ${index + 1}`, "decide_winner", decide) : null);
  }

  // The matches, tables and byes of one round.
  function tables(of, round) {
    const label = `${of.name}: ${say("round", { number: round.number })}`;
    const head = el("tr", {}, ...HEADS.map((key) => el("th", { scope: "col" }, say(key))));
    const body = el("tbody", {}, ...round.tables.map((table) => row(of, round, table)));
    const matches = round.matches.map((one, index) => match(of, round, one, index));
    const byes = round.byes.map((bye) => `${bye.name}: ${byeText(bye, say)}`).join(" · ");
    return [
      matches.length ? el("ul", { class: "plain" }, ...matches) : null,
      el("div", { class: "wide round", tabindex: "0", role: "group", "aria-label": label },
        el("table", {}, el("thead", {}, head), body)),
      byes ? el("p", {}, byes) : null,
    ];
  }

  // An earlier round is made when somebody opens it: its results are seldom changed.
  function earlier(of, round) {
    const body = el("div");
    const open = (event) => body.replaceChildren(...(event.target.open ? tables(of, round).filter(Boolean) : []));
    return el("details", { "data-name": `${of.key} round ${round.number}`, ontoggle: open }, el("summary", {}, title(round)), body);
  }

  return {
    // The round in play, or the last one.
    last(of) {
      const last = of.rounds.at(-1);
      return last ? [el("h4", {}, title(last)), ...tables(of, last)] : [];
    },
    earlier: (of) => of.rounds.slice(0, -1).reverse().map((one) => earlier(of, one)),
    // Decides *value* half points at a table; a changed result is asked about.
    settle(of, round, table, value, isForfeit = false) {
      if (table.is_on) enter(of, round, table, { points: value, is_forfeit: isForfeit });
      else change(of, round, { ...table, points: value.map((half) => half / 2), is_forfeit: isForfeit });
    },
    confirm: (of, round, table) => enter(of, round, table, { points: table.reported.map((value) => 2 * value) }),
    acts: (of, round, table) => tableActs(of, round, table, `open ${nameFor(of, round, table)}`).filter(Boolean),
  };
}
