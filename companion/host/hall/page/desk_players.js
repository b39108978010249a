// SPDX-License-Identifier: Apache-2.0
// The players of a tournament at the desk: entering them, correcting, excusing and withdrawing them, and teams' line-ups.

import { el } from "../page/dom.js";
import { decoder } from "./decoded.js";
import { makeRatingList } from "./desk_rating_list.js";
import { ask } from "./dialog.js";

export function makePlayers({ say, language, call, act, write }) {
  const ratingList = makeRatingList({ say, language, call });

  async function excuse(of, one) {
    const next = of.rounds.length + 1;
    const kinds = ["half", "zero", "full"].map((value) => ({ value, label: say(`bye_${value}`) }));
    const given = await ask(say, `${say("excuse")} ${one.name}`, "", [
      { key: "round", label: say("rounds"), type: "number", value: next, min: next, required: true },
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
    if (!given) return;
    write({ is: "Corrected", key: of.key, number: one.number, name: given.name.trim(), rating: Number(given.rating) });
  }

  async function decide(of, one, what, is) {
    const given = await ask(say, say(what), say(`warn_${what}`, { name: one.name }));
    for (const number of given ? one.numbers : []) await write({ is, key: of.key, number });
  }

  // The buttons for a player or a whole team; *numbers* are the players concerned.
  function leaving(of, one) {
    const where = `${of.key} ${one.name}`;
    return [
      act(where, "excuse", () => excuse(of, one), one.name),
      act(where, "withdraw", () => decide(of, one, "withdraw", "Withdrew"), one.name),
    ];
  }

  function returning(of, one) {
    const mine = { name: one.name, numbers: [one.number] };
    const readmit = () => decide(of, mine, "readmit", "Returned");
    return [el("small", {}, say("act_Withdrew")), " ", act(`${of.key} ${one.name}`, "readmit", readmit, one.name)];
  }

  function player(of, one) {
    const team = one.team ? ` (${one.team})` : "";
    const isIn = one.left === null;
    return el("li", {},
      `${one.name}${team} ${one.rating || ""} `,
      act(`${of.key} ${one.number}`, "correct_player", () => correct(of, one), one.name),
      ...(isIn ? leaving(of, { name: one.name, numbers: [one.number] }) : returning(of, one)));
  }

  // The answer to a list of players: how many were known before, and what became of the rounds of a report.
  function entered({ rounds, left_out: leftOut, known, notes = [] }) {
    const texts = [
      known ? say("had_entered", { number: known }) : "",
      leftOut ? say("rounds_left_out", { number: leftOut }) : rounds ? say("rounds_taken", { number: rounds }) : "",
      ...notes.map((note) => `${note}.`),
    ];
    return texts.filter(Boolean).join(" ");
  }

  function entering(of) {
    const name = `${of.key} roster`;
    const label = say("enter_players");
    const roster = el("textarea", { rows: 4, "data-name": name, "aria-label": label, placeholder: label });
    const file = el("input", { type: "file", accept: ".csv,.trf,.trfx,.txt,text/csv,text/plain" });
    const shown = () => document.querySelector(`[data-name="${CSS.escape(name)}"]`); // it may have been drawn again meanwhile
    file.addEventListener("change", async () => {
      const content = await file.files[0]?.arrayBuffer();
      if (content) shown().value = decoder(language)(new Uint8Array(content), true);
    });
    const enterAll = async () => {
      document.activeElement.blur();
      const csv = roster.value;
      roster.value = "";
      const lines = await ratingList.about(csv);
      const asked = { csv, rating_list: lines };
      if (!(await call(`api/tournaments/${of.key}/players`, asked, entered))) shown().value = csv;
    };
    return el("details", { open: !of.rounds.length, "data-name": `${of.key} players` },
      el("summary", {}, `${say("players")}: ${of.players.length}`),
      el("p", {}, roster),
      el("label", {}, say("from_file"), file),
      ...ratingList.fields(of, entered),
      el("p", {}, act(of.key, "enter", enterAll)),
      el("ul", { class: "plain" }, ...of.players.map((one) => player(of, one))));
  }

  function lineup(of, team) {
    const name = (number) => of.players[number - 1]?.name ?? say("nobody");
    const option = (number, chosen) => el("option", { value: number, selected: number === chosen }, name(number));
    const seats = team.lineup.map((chosen, board) =>
      el("select", { "aria-label": `${team.name} ${board + 1}` }, ...[...team.players, 0].map((number) => option(number, chosen))));
    const save = () => {
      document.activeElement.blur();
      const players = seats.map((seat) => Number(seat.value));
      write({ is: "LinedUp", key: of.key, lineup: { round: of.rounds.length + 1, team: team.name, players } });
    };
    return el("p", { class: "orders", role: "group", "aria-label": team.name },
      el("strong", {}, team.name),
      ...seats,
      act(`${of.key} ${team.number}`, "save", save, team.name),
      ...leaving(of, { name: team.name, numbers: team.players }));
  }

  // The line-ups of all teams for the next round, which are named before it is paired.
  function lineups(of) {
    if (!of.boards || !of.teams.length) return null;
    const all = of.teams.map((team) => lineup(of, team));
    return el("details", { "data-name": `${of.key} lineup` }, el("summary", {}, say("lineup")), ...all);
  }

  return { entering, lineups };
}
