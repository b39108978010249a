// SPDX-License-Identifier: Apache-2.0
// Confirming all reported results of the rounds in play at once, without the odd ones.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { points } from "./shared.js";

const FEW_PLIES = 4; // a game of fewer is rarely meant

export function makeConfirm({ say, call, newest }) {
  // Why an arbiter should look at a reported result first; "" if nothing is odd.
  function oddity(table) {
    const { boards, alarms } = newest();
    const glance = boards.find((one) => one.board === table.board)?.glance;
    if (alarms.some((one) => one.board === table.board && one.urgency === 3)) return say("odd_alarm");
    if (!glance?.outcome) return say("odd_changed");
    return glance.ply < FEW_PLIES ? say("odd_short", { count: glance.ply }) : "";
  }

  function reported() {
    return newest().tournaments.flatMap((of) => (of.rounds.at(-1)?.tables ?? [])
      .filter((table) => table.is_on && table.reported)
      .map((table) => ({ of, table, odd: oddity(table) })));
  }

  const line = ({ of, table, odd }) => el("li", {},
    `${of.name} · ${table.table}. ${table.players.join(" – ")} ${table.reported.map(points).join(" : ")}: ${odd}`);

  async function confirm(of, plain) {
    const halves = ({ reported: shown }) => shown.map((value) => 2 * value);
    const results = plain.map(({ table }) => ({ table: table.table, points: halves(table) }));
    await call(`api/tournaments/${of.key}/confirm`, { round: of.rounds.length, results });
  }

  return async function confirmAll() {
    const found = reported();
    const [odd, plain] = [found.filter((one) => one.odd), found.filter((one) => !one.odd)];
    const list = odd.length ? [el("p", {}, say("odd_results")), el("ul", { class: "odd" }, ...odd.map(line))] : [];
    const text = plain.length ? say("confirm_count", { count: plain.length }) : say("confirm_none");
    const given = await ask(say, say("confirm_all"), text, [], 1, list, plain.length > 0);
    if (!given) return;
    for (const of of new Set(plain.map((one) => one.of))) await confirm(of, plain.filter((one) => one.of === of));
  };
}
