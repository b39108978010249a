// SPDX-License-Identifier: Apache-2.0
// Pairings and boards chosen by the arbiter: free play, play-offs, boards of a round.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { inOrder } from "./shared.js";

export function makeSeating({ say, call, act, newest }) {
  // Tables are preselected as far as possible; an unassigned seat stays empty.
  async function choose(of, title, players, chosen, isPlayoff) {
    const name = (number) => (of.boards ? of.teams.find((team) => team.number === number) : of.players[number - 1]).name;
    const options = [{ value: "", label: "–" }, ...players.map((number) => ({ value: number, label: name(number) }))];
    const places = Array.from({ length: Math.max(1, Math.floor(players.length / 2)) }, (_, table) => Array.from({ length: of.seats }, (__, seat) => ({
      key: `${table} ${seat}`, label: `${say("table")} ${table + 1} · ${seat + 1}`, type: "select", options, value: chosen[table]?.[seat] ?? "",
    })));
    const given = await ask(say, title, say(of.format === "knockout" ? "choose_hint_knockout" : "choose_hint"), places.flat(), of.seats);
    const tables = given ? places.map((table) => table.map(({ key }) => Number(given[key])).filter(Boolean)).filter((table) => table.length) : [];
    if (tables.length) call(`api/tournaments/${of.key}/rounds`, { is_playoff: isPlayoff, tables });
  }

  // The players who share first place, two per table in order; an odd one waits for the next
  // play-off round.
  function tied(of) {
    return of.standings.filter((line) => line.points === of.standings[0].points).map((line) => line.number);
  }

  function decide(of) {
    const first = tied(of);
    const pairs = Array.from({ length: Math.floor(first.length / 2) }, (_, index) => [first[index], first[first.length - 1 - index]]);
    choose(of, say("playoff"), first, pairs, true);
  }

  // Boards in the order of the last round, then by name; without those of other tournaments.
  function usual(of) {
    const { boards, tournaments } = newest();
    const taken = tournaments.filter((other) => other.key !== of.key && other.rounds.length && !other.rounds.at(-1).is_complete)
      .flatMap((other) => other.rounds.at(-1).tables.map((table) => table.board));
    const before = of.rounds.slice(-2).reverse().map((round) => round.tables.map((table) => table.board).filter(Boolean)).find((found) => found.length) ?? [];
    const byName = boards.filter((one) => !one.is_silent).map((one) => one.board).sort(inOrder);
    return [...new Set([...before, ...byName])].filter((board) => !taken.includes(board));
  }

  async function seat(of) {
    const given = await ask(say, `${of.name}: ${say("seat_all")}`, say("seat_hint"), [
      { key: "boards", label: say("boards"), rows: 3, value: usual(of).join(" "), required: true },
    ]);
    const boards = given?.boards.split(/[\s,]+/).filter(Boolean);
    if (given) place(`api/tournaments/${of.key}/seats`, { boards }, (over) => ({ over_games: over }));
  }

  // A board with a game in progress, or that may have one, is used only with the arbiter's consent: *over*
  // allows the hall to leave the game unfinished. True if everything requested is done.
  async function place(path, seats, over) {
    const said = await call(path, seats);
    const [underWay, silent] = [said?.under_way ?? [], said?.silent ?? []];
    if (!underWay.length && !silent.length) return Boolean(said);
    const about = (key, boards) => (boards.length ? [say(key, { boards: boards.join(", ") })] : []);
    const texts = [...about("under_way", underWay), ...about("silent_boards", silent)];
    const given = await ask(say, say("under_way_title"), texts.join(" "));
    return given ? Boolean(await call(path, { ...seats, ...over([...underWay, ...silent]) })) : false;
  }

  return {
    give: (of, seat) => place(`api/tournaments/${of.key}/boards`, seat, () => ({ over_game: true })),
    buttons(of) {
      const round = of.rounds.at(-1);
      const isOver = !round || round.is_complete;
      const isTied = round && isOver && !of.boards && of.format !== "knockout" && of.standings.length && tied(of).length > 1;
      const isNext = isOver && !round?.is_playoff;
      return [
        isNext && of.candidates.length > 1 ? act(of.key, "choose_tables", () => choose(of, say("choose_tables"), of.candidates, [], false)) : null,
        isNext && of.format.endsWith("round-robin") ? el("small", {}, say("fixed_pairs")) : null,
        isTied ? act(of.key, "playoff", () => decide(of)) : null,
        !isOver ? act(of.key, "seat_all", () => seat(of)) : null,
      ];
    },
  };
}
