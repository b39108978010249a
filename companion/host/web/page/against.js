// SPDX-License-Identifier: Apache-2.0
// Fields of the dialog for a new game: chess on a server, against anyone, a player, or its computer.

import { el } from "./dom.js";

const HERE = "";
const ANYONE = "anyone";
const PLAYER = "player";
const COMPUTER = "computer";
const KINDS = {
  [HERE]: "by-phone",
  [ANYONE]: "online-anyone",
  [PLAYER]: "online-player",
  [COMPUTER]: "online-computer",
};
const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8];
const DAYS = ["", 1, 2, 3, 5, 7, 10, 14];

// The fields are put into *root*; *changed* is called when others of the dialog have to be shown or hidden.
export function makeAgainst(root, changed) {
  let fields = null;

  function select(values, said) {
    return el("select", { onchange: show }, ...values.map((value) => new Option(said(value), value)));
  }

  function make(labels) {
    const kind = select(Object.keys(KINDS), (value) => labels[KINDS[value]]);
    const pattern = "[A-Za-z0-9_\\-]+";
    const name = el("input", { maxlength: 30, minlength: 2, pattern, autocomplete: "off", required: true });
    const level = select(LEVELS, String);
    const days = select(DAYS, (value) => (value ? String(value) : labels.none));
    const rows = [["opponent", kind], ["online-name", name], ["computer-level", level], ["online-days", days]];
    root.replaceChildren(...rows.map(([label, control]) => el("label", {}, el("span", {}, labels[label]), control)));
    fields = { kind, name, level, days };
    show();
  }

  const shows = (control, isShown) => {
    control.parentElement.hidden = !isShown;
    control.disabled = !isShown;
  };

  function show() {
    const { kind, name, level, days } = fields;
    shows(name, kind.value === PLAYER);
    shows(level, kind.value === COMPUTER);
    shows(days, kind.value !== HERE);
    changed();
  }

  return {
    // *isOffered*: the chosen game can be played on the server.
    offer(labels, isOffered) {
      if (isOffered && !fields) make(labels);
      if (!isOffered && fields) {
        root.replaceChildren();
        fields = null;
        changed();
      }
    },
    get isElsewhere() {
      return Boolean(fields?.kind.value);
    },
    get hasDays() {
      return this.isElsewhere && Boolean(fields.days.value);
    },
    // The opponent and the days of the game elsewhere; null for a game at the table.
    read() {
      if (!this.isElsewhere) return null;
      const { kind, name, level, days } = fields;
      const opponents = { [ANYONE]: ANYONE, [PLAYER]: name.value, [COMPUTER]: `${COMPUTER}:${level.value}` };
      return { opponent: opponents[kind.value], days: days.value ? Number(days.value) : null };
    },
  };
}
