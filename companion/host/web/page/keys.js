// SPDX-License-Identifier: Apache-2.0
// Shortcuts and their list. The board has its own; all can be switched off.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function makeKeys(prefs, { command, begin, focusBoard, settings }) {
  const ACTIONS = {
    "?": ["keys", () => byId("keys").showModal()],
    n: ["new-game", begin],
    z: ["take-back", () => command("take-back")],
    p: ["pause", () => (command("pause"), command("resume"))],
    g: ["board", focusBoard],
    b: ["big-screen", () => prefs.toggle("big")],
    s: ["sound", () => prefs.toggle("sound")],
    v: ["speech", () => prefs.toggle("speech")],
    o: ["settings", settings],
  };
  const BOARD = [
    ["← ↑ ↓ →", "over-board"],
    ["Enter", "lift-drop"],
    ["R", "rotate"],
    ["F", "turn-over"],
    ["Delete", "put-away"],
    ["Esc", "put-back"],
    ["M", "next-mistake"],
  ];

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && prefs.get("big")) prefs.set("big", false);
    const isTyping = event.target.closest?.("input, select, textarea, dialog");
    const action = ACTIONS[event.key.toLowerCase()];
    if (!action || isTyping || !prefs.get("shortcuts")) return;
    event.preventDefault();
    action[1]();
  });

  const row = (key, text) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)];

  return function list({ labels }) {
    byId("keys-title").textContent = labels.keys;
    const rows = [...BOARD, ...Object.entries(ACTIONS).map(([key, [name]]) => [key.toUpperCase(), name])];
    byId("keys-list").replaceChildren(...rows.flatMap(([key, name]) => row(key, labels[name])));
    byId("keys").querySelector("button").textContent = labels.close;
  };
}
