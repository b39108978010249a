// SPDX-License-Identifier: Apache-2.0
// Tournaments at the desk: who has entered, who plays whom where, how it ended, and what is printed.

import { el } from "../page/dom.js";
import { makeOptions } from "./desk_options.js";
import { makeSeating } from "./desk_seating.js";
import { ask } from "./dialog.js";
import { byeText, points, standingsTable, teamTable } from "./shared.js";

const MOST_TIES = 4;

// The text of a file: in Unicode, or as programs used to write where *language* is spoken.
const BEFORE_UNICODE = { hr: "windows-1250", ja: "shift_jis" };
function written(content, language) {
  const wide = { "255,254": "utf-16le", "254,255": "utf-16be" }[content.slice(0, 2).join()];
  try {
    return new TextDecoder(wide ?? "utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder(BEFORE_UNICODE[language] ?? "windows-1252").decode(content);
  }
}

export function makeEvents({ say, language, known, call, act, newest, fetchFile, games, formats }) {
  const seating = makeSeating({ say, call, act, newest });
  const options = makeOptions({ say, games });
  const titles = Object.fromEntries(games.map((one) => [one.slug, one.title]));
  const note = (key = "note", required = false) => ({ key: "note", label: say(key), required });
  const write = (body) => call("api/acts", body);

  async function sure(title, text, body) {
    const given = await ask(say, title, text);
    if (given) write(body);
  }

  async function excuse(of, one) {
    const kinds = ["half", "zero", "full"].map((value) => ({ value, label: say(`bye_${value}`) }));
    const given = await ask(say, `${say("excuse")} ${one.name}`, "", [
      { key: "round", label: say("rounds"), type: "number", value: of.rounds.length + 1, min: of.rounds.length + 1, required: true },
      { key: "bye", label: say("points"), type: "select", options: kinds },
    ]);
    for (const number of given ? one.numbers : []) {
      await write({ is: "Excused", key: of.key, number, round: Number(given.round), bye: given.bye });
    }
  }

  async function correct(of, one) {
    const given = await ask(say, `${say("correct_player")} ${one.name}`, "", [
      { key: "name", label: say("name"), value: one.name, required: true },
      { key: "rating", label: "Elo", type: "number", min: 0, max: 9999, value: one.rating || "" },
    ]);
    if (given) write({ is: "Corrected", key: of.key, number: one.number, name: given.name.trim(), rating: Number(given.rating) });
  }

  async function decide(of, one, what, is) {
    const given = await ask(say, say(what), say(`warn_${what}`, { name: one.name }));
    for (const number of given ? one.numbers : []) await write({ is, key: of.key, number });
  }

  // Somebody, or a whole team: *numbers* are the players concerned.
  function leaving(of, one) {
    const where = `${of.key} ${one.name}`;
    return [act(where, "excuse", () => excuse(of, one), one.name), act(where, "withdraw", () => decide(of, one, "withdraw", "Withdrew"), one.name)];
  }

  function returning(of, one) {
    const mine = { name: one.name, numbers: [one.number] };
    return [el("small", {}, say("act_Withdrew")), " ", act(`${of.key} ${one.name}`, "readmit", () => decide(of, mine, "readmit", "Returned"), one.name)];
  }

  function entering(of) {
    const name = `${of.key} roster`;
    const roster = el("textarea", { rows: 4, "data-name": name, "aria-label": say("enter_players"), placeholder: say("enter_players") });
    const file = el("input", { type: "file", accept: ".csv,.trf,.trfx,.txt,text/csv,text/plain" });
    const shown = () => document.querySelector(`[data-name="${CSS.escape(name)}"]`); // it may have been drawn anew meanwhile
    file.addEventListener("change", async () => {
      const content = await file.files[0]?.arrayBuffer();
      if (content) shown().value = written(new Uint8Array(content), language);
    });
    const enterAll = async () => {
      document.activeElement.blur();
      const csv = roster.value;
      roster.value = "";
      const taken = ({ rounds, left_out: number, known: before, notes = [] }) => [before ? say("had_entered", { number: before }) : "",
        number ? say("rounds_left_out", { number }) : rounds ? say("rounds_taken", { number: rounds }) : "", ...notes.map((note) => `${note}.`)].filter(Boolean).join(" ");
      if (!(await call(`api/tournaments/${of.key}/players`, { csv }, taken))) shown().value = csv;
    };
    return el("details", { open: !of.rounds.length, "data-name": `${of.key} players` }, el("summary", {}, `${say("players")}: ${of.players.length}`),
      el("p", {}, roster), el("label", {}, say("from_file"), file), el("p", {}, act(of.key, "enter", enterAll)),
      el("ul", { class: "plain" }, ...of.players.map((one) => el("li", {},
        `${one.name}${one.team ? ` (${one.team})` : ""} ${one.rating || ""} `, act(`${of.key} ${one.number}`, "correct_player", () => correct(of, one), one.name),
        ...(one.left === null ? leaving(of, { name: one.name, numbers: [one.number] }) : returning(of, one))))));
  }

  // Who plays for each team in the round that comes: named before it is paired.
  function lineups(of) {
    if (!of.boards || !of.teams.length) return null;
    const name = (number) => of.players[number - 1]?.name ?? say("nobody");
    const round = of.rounds.length + 1;
    return el("details", { "data-name": `${of.key} lineup` }, el("summary", {}, say("lineup")), ...of.teams.map((team) => {
      const seats = team.lineup.map((chosen, board) => el("select", { "aria-label": `${team.name} ${board + 1}` },
        ...[...team.players, 0].map((number) => el("option", { value: number, selected: number === chosen }, name(number)))));
      const save = () => {
        document.activeElement.blur();
        write({ is: "LinedUp", key: of.key, lineup: { round, team: team.name, players: seats.map((seat) => Number(seat.value)) } });
      };
      return el("p", { class: "orders", role: "group", "aria-label": team.name }, el("strong", {}, team.name), ...seats, act(`${of.key} ${team.number}`, "save", save, team.name),
        ...leaving(of, { name: team.name, numbers: team.players }));
    }));
  }

  function printing(of) {
    const rounds = of.rounds.length;
    const kinds = [...(rounds ? ["pairings"] : []), "standings", "crosstable", ...(of.boards ? ["teams"] : []), ...(rounds ? ["scoresheets"] : [])];
    return el("p", { class: "orders", role: "group", "aria-label": say("print") }, el("span", {}, `${say("print")}:`),
      ...kinds.map((kind) => act(`${of.key}`, `print_${kind}`, () => fetchFile(of.key, `${kind}.pdf`))),
      ...[["download_players", "players.csv"], ["download_report", "report.trf"]].map(([key, file]) => act(of.key, key, () => fetchFile(of.key, file))));
  }

  // Of several at a table the places are asked for: a win for each player behind, a draw for each beside.
  async function change(of, round, table) {
    const two = table.numbers.length === 2;
    const options = [[2, 0], [1, 1], [0, 2], [0, 0]].map((value) => ({ value: value.join(","), label: value.map((half) => points(half / 2)).join(" : ") }));
    const placed = table.points?.map((one) => 1 + table.points.filter((other) => other > one).length);
    const how = two ? [{ key: "points", label: say("result"), type: "select", options, value: (table.points ?? []).map((one) => 2 * one).join(",") }]
      : table.players.map((label, seat) => ({ key: `place ${seat}`, label: `${say("rank")}: ${label}`, type: "number", min: 1, max: table.players.length, value: placed?.[seat] ?? "", required: true }));
    const given = await ask(say, `${say("change_result_title")}: ${say("table")} ${table.table}`, `${table.players.join(" – ")}. ${say("warn_result")}`, [
      ...how,
      { key: "how", label: say("forfeit"), type: "select", options: [{ value: "", label: "–" }, { value: "forfeit", label: say("forfeit") }] },
      note("note", table.points !== null),
    ]);
    if (!given) return;
    const places = table.players.map((_, seat) => Number(given[`place ${seat}`]));
    const worth = (one, seat) => places.reduce((sum, other, at) => sum + (at === seat ? 0 : 1 + Math.sign(other - one)), 0);
    write({ is: "ResultDecided", key: of.key, round: round.number, table: table.table, points: two ? given.points.split(",").map(Number) : places.map(worth), is_forfeit: given.how === "forfeit", note: given.note });
  }

  async function takeBack(of, round, table) {
    const given = await ask(say, say("take_back_result"), say("warn_result"), [note()]);
    if (given) write({ is: "ResultDecided", key: of.key, round: round.number, table: table.table, points: null, note: given.note });
  }

  async function decideWinner(of, round, table, players) {
    const given = await ask(say, say("decide_winner_title"), "", [
      { key: "winner", label: say("decide_winner_title"), type: "select", options: players },
      note("by_rule", true),
    ]);
    if (given) write({ is: "WinnerDecided", key: of.key, round: round.number, table, winner: Number(given.winner), note: given.note });
  }

  function row(of, round, table) {
    const place = { key: of.key, round: round.number, table: table.table };
    const isLast = round === of.rounds.at(-1);
    const where = `${of.key} ${isLast ? "" : `${round.number}.`}${table.table}`;
    const decide = (value) => write({ is: "ResultDecided", ...place, points: value });
    const give = async ({ target }) => {
      target.blur();
      const isGiven = await seating.give(of, { round: round.number, table: table.table, board: target.value });
      if (!isGiven) target.value = table.board ?? "";
    };
    const choices = newest().boards.map((one) => el("option", { value: one.board, selected: one.board === table.board }, one.name));
    const seat = el("select", { "aria-label": `${say("board")} ${table.table}`, onchange: give }, el("option", { value: "" }, "–"), ...choices);
    const two = table.numbers.length === 2;
    const needsWinner = (of.format === "knockout" || round.is_playoff) && !of.boards && table.points && !table.is_on && table.winner === null;
    const shown = table.told ?? table.points;
    const further = table.further.map((game) => (game ? game.map(points).join(":") : "…")).join(" ");
    const tried = [shown ? `${shown.map(points).join(" : ")}${table.told ? " ?" : ""}` : "", further && `(${further})`, table.decided && say("goes_on", { name: table.decided })];
    const byHand = table.is_on && two ? [[2, 0], [1, 1], [0, 2]].map((value) => {
      const label = value.map((half) => points(half / 2)).join(":");
      return el("button", { class: "act", type: "button", "data-name": `${where} ${value}`, "aria-label": `${table.players.join(" – ")} ${label}`, onclick: () => decide(value) }, label);
    }) : [];
    return el("tr", {},
      el("td", { class: "number" }, String(table.table)), el("td", {}, table.players.join(" – ")), el("td", {}, isLast ? seat : table.board ?? ""),
      el("td", {}, tried.filter(Boolean).join(" ")),
      el("td", { class: "orders" },
        table.told ? act(where, "confirm", () => decide(table.told.map((value) => 2 * value)), table.players.join(" – ")) : null,
        ...byHand,
        act(where, "change_result", () => change(of, round, table), table.players.join(" – ")),
        table.decided && !of.boards ? act(where, "take_back_decision", () => write({ is: "WinnerDecided", ...place, winner: 0 }), table.players.join(" – ")) : null,
        table.points && two ? act(where, "take_back_result", () => takeBack(of, round, table), table.players.join(" – ")) : null,
        needsWinner && isLast ? act(where, "play_on", () => write({ is: "PlayedOn", ...place })) : null,
        needsWinner ? act(where, "decide_winner", () => decideWinner(of, round, table.table, table.numbers.map((value, index) => ({ value, label: table.players[index] })))) : null));
  }

  function match(of, round, one, index) {
    const isDrawn = of.format === "knockout" && one.points && one.points[0] === one.points[1] && !one.decided && one.teams.length === 2;
    const numbers = Object.fromEntries(of.teams.map((team) => [team.name, team.number]));
    return el("li", {}, `${one.teams.join(" – ")}: ${one.tables.length ? (one.points ?? []).map(points).join(" : ") || "…" : say("bye")}${one.decided ? ` · ${say("goes_on", { name: one.decided })}` : ""} `,
      isDrawn ? act(`${of.key} match ${index + 1}`, "decide_winner", () => decideWinner(of, round, index + 1, one.teams.map((label) => ({ value: numbers[label], label })))) : null);
  }

  const title = (round) => (round.is_playoff ? say("playoff_round") : say("round", { number: round.number }));

  function latest(of) {
    const round = of.rounds.at(-1);
    return round ? [...of.rounds.slice(0, -1).map((one) => earlier(of, one)), el("h4", {}, title(round)), ...tables(of, round)] : [];
  }

  // Made when somebody opens it: a result of a round that is over is seldom changed.
  function earlier(of, round) {
    const body = el("div");
    const open = (event) => body.replaceChildren(...(event.target.open ? tables(of, round).filter(Boolean) : []));
    return el("details", { "data-name": `${of.key} round ${round.number}`, ontoggle: open }, el("summary", {}, title(round)), body);
  }

  function tables(of, round) {
    return [
      round.matches.length ? el("ul", { class: "plain" }, ...round.matches.map((one, index) => match(of, round, one, index))) : null,
      el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": `${of.name}: ${say("round", { number: round.number })}` },
        el("table", {}, el("thead", {}, el("tr", {}, ...["table", "players", "board", "result", "change_result_title"].map((key) => el("th", { scope: "col" }, say(key))))),
          el("tbody", {}, ...round.tables.map((table) => row(of, round, table))))),
      round.byes.length ? el("p", {}, round.byes.map((bye) => `${bye.name}: ${byeText(bye, say)}`).join(" · ")) : null,
    ];
  }

  async function delay(of) {
    const given = await ask(say, `${of.name}: ${say("delay")}`, say("delay_hint"), [
      { key: "minutes", label: `${say("delay")} (${say("minutes")})`, type: "number", min: 0, max: 60, value: Math.round(of.delay_s / 60), required: true },
    ]);
    if (given) write({ is: "DelaySet", key: of.key, seconds: 60 * Number(given.minutes) });
  }

  // All boards of one tournament at one time: another may be in mid-round beside it.
  function together(of, round, key, command) {
    return act(of.key, key, async () => {
      const count = round.tables.filter((table) => table.board).length;
      const given = await ask(say, `${of.name}: ${say(key)}`, say("concerns", { count }), [note()]);
      if (given) call("api/orders/all", { key: of.key, command, note: given.note }, say("send"));
    }, of.name);
  }

  // So that hundreds of players do not lie between an arbiter and the tables.
  function scrolling(table) {
    table.classList.add("scroll");
    return table;
  }

  function draw(of) {
    const round = of.rounds.at(-1);
    const pair = () => call(`api/tournaments/${of.key}/rounds`, {});
    return el("section", {},
      el("h3", {}, `${of.name} · ${say(`format_${of.format}`)} · ${titles[of.game] ?? (of.game || say("mixed_games"))}`),
      of.options.length ? el("p", {}, el("small", {}, options.told(of).join(" · "))) : null,
      of.boards ? scrolling(teamTable(of, say)) : null,
      scrolling(standingsTable(of, say)),
      entering(of),
      lineups(of),
      el("p", { class: "orders" },
        of.format === "free" || round?.is_playoff ? null : act(of.key, "pair", pair),
        ...seating.buttons(of),
        round && round.tables.every((each) => each.points === null) ? act(of.key, "drop_round", () => sure(say("drop_round"), say("warn_drop"), { is: "RoundDropped", key: of.key })) : null,
        act(of.key, "set_delay", () => delay(of)),
        ...(round && !round.is_complete ? [
          together(of, round, "pause_all", { is: "Hold" }),
          together(of, round, "start_all", { is: "Release", starts_clock: true }),
        ] : []),
        el("small", {}, of.delay_s ? say("later", { minutes: Math.round(of.delay_s / 60) }) : say("live"))),
      printing(of),
      ...latest(of));
  }

  function opening() {
    const field = (key, more = {}) => [key, el("input", { required: true, ...more })];
    const number = (max) => ({ type: "number", min: 0, max, value: 0 });
    const fields = Object.fromEntries([field("key"), field("name"), field("seats", { type: "number", min: 2, max: 6, value: 2 }), field("rounds", number(60)), field("boards_of_match", number(14)), field("delay", number(60))]);
    const rules = el("fieldset", { class: "fields" });
    const showOptions = () => {
      const fields = options.fields(game.value);
      rules.hidden = !fields.length;
      rules.replaceChildren(el("legend", {}, say("options")), ...fields);
    };
    const game = el("select", { onchange: showOptions }, ...games.map((one) => el("option", { value: one.slug }, one.title)), el("option", { value: "" }, say("mixed_games")));
    const usual = () => formats.find((one) => one.format === format.value)[Number(fields.boards_of_match.value) ? "team_ties" : "ties"];
    const ties = Array.from({ length: MOST_TIES }, (_, place) => el("select", { "aria-label": `${say("ties")} ${place + 1}` },
      el("option", { value: "" }, "–"), ...known.filter((key) => key.startsWith("tie_")).map((key) => key.slice(4)).map((value) => el("option", { value }, say(`tie_${value}`)))));
    const suggest = () => ties.forEach((each, place) => { each.value = usual()[place] ?? ""; });
    const format = el("select", { onchange: suggest }, ...formats.map((one) => el("option", { value: one.format }, say(`format_${one.format}`))));
    fields.boards_of_match.addEventListener("change", suggest);
    suggest();
    showOptions();
    const open = async (event) => {
      event.preventDefault();
      const [boards, seats] = [Number(fields.boards_of_match.value), Number(fields.seats.value)];
      const told = await write({
        is: "Opened", key: fields.key.value, name: fields.name.value, format: format.value, game: game.value,
        seats, options: options.chosen(), planned: Number(fields.rounds.value), tie_breaks: [...new Set(ties.map((each) => each.value).filter(Boolean))], boards,
      });
      if (told && Number(fields.delay.value)) await write({ is: "DelaySet", key: fields.key.value, seconds: 60 * Number(fields.delay.value) });
      if (told) event.target.reset();
      suggest();
      showOptions();
    };
    const label = (key, text = say(key)) => el("label", {}, text, fields[key]);
    return el("details", {}, el("summary", {}, say("open_tournament")),
      el("form", { onsubmit: open }, label("key"), label("name"), el("label", {}, say("game"), game), label("seats"), el("label", {}, say("format"), format), label("rounds"), label("boards_of_match"),
        rules,
        el("fieldset", { class: "fields" }, el("legend", {}, say("ties")), ...ties),
        label("delay", `${say("delay")} (${say("minutes")})`), el("button", { class: "act main", type: "submit" }, say("open"))));
  }

  return { draw, opening };
}
