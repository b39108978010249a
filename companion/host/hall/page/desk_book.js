// SPDX-License-Identifier: Apache-2.0
// The book at the desk: its newest entries, in words.

import { el } from "../page/dom.js";
import { points } from "./shared.js";

export function makeBook({ say, language, games, looks, newest, photographs }) {
  function line(entry) {
    const time = new Date(entry.at).toLocaleTimeString(language, { hour12: false });
    const attributes = { value: entry.number, class: entry.act.fault ? "fault" : null };
    const { photograph } = entry.act;
    const link = photograph ? photographs.link(photograph) : null;
    return el("li", attributes, `${time} ${entry.by}: ${describe(entry)} `, link);
  }

  // An entry of the book in words; what its act lacks is left out.
  function describe({ act: { is, key, note, text, fault, ...rest }, said }) {
    const of = newest().tournaments.find((one) => one.key === key);
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
  function describeOrder(board, command) {
    const { is, side, turn, starts_clock: startsClock, by_ms: byMs, ply, moves, position, game } = command;
    const sides = looks[newest().boards.find((one) => one.board === board)?.set]?.sides ?? [];
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

  return {
    draw: (book) => [
      el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("book") },
        el("ol", { reversed: true }, ...[...book].reverse().map(line))),
    ],
  };
}
