// SPDX-License-Identifier: Apache-2.0
// Tables on other machines at the desk: codes to join, their lifetime, and revoked keys.

import { el } from "../page/dom.js";
import { ask } from "./dialog.js";
import { clock, hallNow } from "./shared.js";

export function makeTables({ say, call, act, newest }) {
  const name = () => ({ key: "board", label: say("board"), required: true });

  async function invite() {
    const given = await ask(say, say("invite"), say("invite_hint"), [name()]);
    if (given) call("api/tables/invite", { board: given.board.trim() });
  }

  async function revoke() {
    const given = await ask(say, say("revoke"), say("warn_revoke"), [name()]);
    if (given) call("api/tables/revoke", { board: given.board.trim() });
  }

  function line({ board, code, until_ms: untilMs, ended }) {
    if (ended) return el("li", {}, `${board}: ${say(`invited_${ended}`)}`);
    return el("li", {}, `${board}: `, el("code", {}, code), " ", el("small", { "data-until": untilMs }, left(untilMs)));
  }

  const left = (untilMs) => say("valid_for", { time: clock(untilMs - hallNow()) });

  setInterval(() => document.querySelectorAll("#tables [data-until]").forEach((each) => { each.textContent = left(Number(each.dataset.until)); }), 1000);

  return () => {
    const { invited } = newest().tables;
    return [
      ...(invited.length ? [el("ul", { class: "plain" }, ...invited.map(line))] : []),
      el("p", { class: "orders" }, act("tables", "invite", invite), act("tables", "revoke", revoke)),
    ];
  };
}
