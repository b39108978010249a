// SPDX-License-Identifier: Apache-2.0
// The sensor test of one board: which cell waits for the magnet, what was found, and the verdict.

import { el } from "./dom.js";
import { offlineSentence } from "./offline.js";
import { makePrefs } from "./prefs.js";
import { connect } from "./wire.js";

const LOOKS = ["dark", "wanted", "good", "faulty"];
const SIGNS = ["", "?", "✓", "!"];
const byId = (id) => document.getElementById(id);
const prefs = makePrefs();
const device = new URLSearchParams(location.search).get("device") ?? "";
let labels = {};

const wire = connect({
  path: "sensors/ws",
  asked: () => ({ device, ...(prefs.get("language") ? { language: prefs.get("language") } : {}) }),
  onMessage(message) {
    if (message.labels) showLabels(message);
    if (message.state) showState(message.state);
  },
  onState(isOpen) {
    byId("banner").textContent = isOpen ? "" : offlineSentence();
  },
});

function showLabels(message) {
  labels = message.labels;
  document.documentElement.lang = message.language;
  document.title = labels.title;
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = labels[each.dataset.text];
}

function showState({ names, columns, lamps, task, faults, fault, is_over: isOver, is_right: isRight }) {
  byId("task").textContent = fault ?? task;
  byId("task").className = fault || (isOver && !isRight) ? "bad" : isOver ? "right" : "";
  for (const each of document.querySelectorAll("[data-order]")) each.hidden = Boolean(fault) || isOver;
  byId("again").hidden = !fault && !isOver;
  if (fault) return;
  const ranks = [];
  for (let begin = 0; begin < names.length; begin += columns) ranks.unshift(names.slice(begin, begin + columns));
  const cells = byId("cells");
  cells.style.setProperty("--columns", columns);
  cells.setAttribute("aria-label", task);
  const look = new Map(names.map((name, cell) => [name, lamps[cell]]));
  cells.replaceChildren(...ranks.flat().map((name) =>
    el("span", { class: LOOKS[look.get(name)], "data-cell": name }, name, el("b", {}, SIGNS[look.get(name)]))));
  const rows = faults.length ? faults : [labels["no-faults"]];
  byId("faults").replaceChildren(...rows.map((each) => el("li", { class: faults.length ? "bad" : null }, each)));
}

for (const each of document.querySelectorAll("[data-order]")) {
  each.addEventListener("click", () => wire.send("Order", { order: each.dataset.order }));
}
byId("again").addEventListener("click", () => location.reload());
