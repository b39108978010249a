// SPDX-License-Identifier: Apache-2.0
// Preferences of this user on this device, in the browser's storage if there is one.

import { onDevice } from "./storage.js";

const kept = onDevice("companion");
const USUAL = {
  sound: true,
  volume: 70,
  speech: false,
  shortcuts: true,
  lines: null, // of the panel's display; null as long as this user has not decided
  result: false,
  theme: "system",
  board: "wood",
  pieces: "figures",
  coordinates: "out",
  language: "",
  against: {}, // level and side of the last game against the computer, by game
};

export function makePrefs() {
  const listeners = [];
  const suggested = {};
  const address = new URLSearchParams(location.search);
  const values = { ...USUAL, ...kept.json({}), big: address.has("big"), watch: address.has("watch") };
  if (address.has("language")) values.language = address.get("language");

  const get = (name) => values[name] ?? suggested[name] ?? false;
  const tell = (name) => listeners.forEach((listener) => listener(name, get(name)));

  return {
    get,
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      kept.set(JSON.stringify(Object.fromEntries(Object.keys(USUAL).map((each) => [each, values[each]]))));
      tell(name);
    },
    toggle(name) {
      this.set(name, !get(name));
    },
    // What holds as long as this user has not decided.
    suggest(name, value) {
      const before = get(name);
      suggested[name] = value;
      if (get(name) !== before) tell(name);
    },
    onChange(listener) {
      listeners.push(listener);
    },
  };
}
