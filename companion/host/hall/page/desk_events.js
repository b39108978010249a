// SPDX-License-Identifier: Apache-2.0
// Tournaments at the desk: standings, orders and printed lists of each; players and rounds are drawn by their own files.

import { el } from "../page/dom.js";
import { makeFederation } from "./desk_federation.js";
import { makeOpening } from "./desk_opening.js";
import { makeOptions } from "./desk_options.js";
import { makePlayers } from "./desk_players.js";
import { makeRatings } from "./desk_ratings.js";
import { makeRounds } from "./desk_rounds.js";
import { makeSeating } from "./desk_seating.js";
import { ask } from "./dialog.js";
import { standingsTable, teamTable } from "./shared.js";

export function makeEvents({ say, language, known, call, read, act, newest, fetchFile, games, formats, confirmAll, together }) {
  const write = (body) => call("api/acts", body);
  const note = (key = "note", required = false) => ({ key: "note", label: say(key), required });
  const seating = makeSeating({ say, call, act, newest });
  const options = makeOptions({ say, games });
  const federation = makeFederation({ say, read, act, write });
  const players = makePlayers({ say, language, call, act, write });
  const ratings = makeRatings({ say, known, read });
  const rounds = makeRounds({ say, act, write, note, newest, seating });
  const titles = Object.fromEntries(games.map((one) => [one.slug, one.title]));

  function printing(of) {
    const ofRounds = of.rounds.length > 0;
    const kinds = [ofRounds && "pairings", "standings", "crosstable", of.boards && "teams", ofRounds && "scoresheets"].filter(Boolean);
    return el("p", { class: "orders", role: "group", "aria-label": say("print") },
      el("span", {}, `${say("print")}:`),
      ...kinds.map((kind) => act(of.key, `print_${kind}`, () => fetchFile(of.key, `${kind}.pdf`))),
      act(of.key, "download_players", () => fetchFile(of.key, "players.csv")),
      act(of.key, "download_report", () => fetchFile(of.key, "report.trf").then(() => federation.check(of))),
      of.game && of.rounds.length ? act(of.key, "download_ratings", () => fetchFile(of.key, "ratings.csv")) : null,
      federation.button(of));
  }

  async function setDelay(of) {
    const minutes = { key: "minutes", label: `${say("delay")} (${say("minutes")})`, type: "number", min: 0, max: 60, required: true };
    const given = await ask(say, `${of.name}: ${say("delay")}`, say("delay_hint"), [{ ...minutes, value: Math.round(of.delay_s / 60) }]);
    if (given) write({ is: "DelaySet", key: of.key, seconds: 60 * Number(given.minutes) });
  }

  async function dropRound(of) {
    const given = await ask(say, say("drop_round"), say("warn_drop"));
    if (given) write({ is: "RoundDropped", key: of.key });
  }

  function orders(of) {
    const round = of.rounds.at(-1);
    const canPair = of.format !== "free" && !round?.is_playoff;
    const canDrop = round && round.tables.every((each) => each.points === null);
    const isUnderWay = round && !round.is_complete;
    const isReported = round?.tables.some((table) => table.is_on && table.reported);
    return el("p", { class: "orders" },
      isReported ? act(of.key, "confirm_all", confirmAll, of.name) : null,
      canPair ? act(of.key, "pair", () => call(`api/tournaments/${of.key}/rounds`, {})) : null,
      ...seating.buttons(of),
      canDrop ? act(of.key, "drop_round", () => dropRound(of)) : null,
      act(of.key, "set_delay", () => setDelay(of)),
      isUnderWay ? act(of.key, "pause_all", () => together.pause(of), of.name) : null,
      isUnderWay ? act(of.key, "start_all", () => together.start(of), of.name) : null,
      el("small", {}, of.delay_s ? say("later", { minutes: Math.round(of.delay_s / 60) }) : say("live")));
  }

  // Long tables scroll, so that hundreds of players do not lie between an arbiter and the tables.
  function scrolling(table) {
    table.classList.add("scroll");
    return table;
  }

  function draw(of) {
    const game = titles[of.game] ?? (of.game || say("mixed_games"));
    return el("section", {},
      el("h3", {}, `${of.name} · ${say(`format_${of.format}`)} · ${game}`),
      of.options.length ? el("p", {}, el("small", {}, options.told(of).join(" · "))) : null,
      orders(of),
      ...rounds.last(of),
      of.boards ? scrolling(teamTable(of, say)) : null,
      scrolling(standingsTable(of, say)),
      players.entering(of),
      players.lineups(of),
      ratings(of),
      printing(of),
      ...rounds.earlier(of));
  }

  return {
    draw,
    opening: makeOpening({ say, known, write, games, formats }),
    // Those whose round is in play come first.
    inOrder: (all) => [...all].sort((one, other) => isOver(one) - isOver(other)),
    settle: ({ of, round, table }, ...result) => rounds.settle(of, round, table, ...result),
    confirm: ({ of, round, table }) => rounds.confirm(of, round, table),
    resultActs: ({ of, round, table }) => rounds.acts(of, round, table),
  };
}

const isOver = (of) => !of.rounds.length || of.rounds.at(-1).is_complete;
