// SPDX-License-Identifier: Apache-2.0
// The ways into a game: against the computer at a level, with people here, or with people elsewhere.

import { el } from "./dom.js";

export const COMPUTER = "computer";
export const FRIEND = "friend";
export const ELSEWHERE = "elsewhere";
export const WAYS = [COMPUTER, FRIEND, ELSEWHERE];
const NOBODY = -1; // where the computer plays all sides, or several people play

// The choices are put into *root*; *changed* is called when somebody has chosen.
export function makeWays(root, changed) {
  let offered = null;
  let chosen = { way: FRIEND, level: 1, side: 0 };

  // One of a row of *choices*, each a value and its text.
  function radios(key, legend, choices) {
    const pick = (value) => {
      chosen = { ...chosen, [key]: value };
      show();
      root.querySelector(`[name="${key}-of-game"]:checked`).focus();
      changed();
    };
    const row = choices.map(([value, text, about = text]) => el("label", { class: "pill", "data-value": value },
      el("input", {
        type: "radio",
        name: `${key}-of-game`,
        "aria-label": about,
        checked: value === chosen[key],
        onchange: () => pick(value),
      }),
      el("span", {}, text)));
    return el("fieldset", { class: "pills", "data-of": key }, el("legend", {}, legend), ...row);
  }

  const numbered = ({ label }, index) => [index + 1, String(index + 1), label];

  function show() {
    const { labels, levels, sides } = offered;
    const ways = WAYS.filter((way) => way !== COMPUTER || levels.length);
    const parts = [radios("way", labels.opponent, ways.map((way) => [way, labels[`way-${way}`]]))];
    if (chosen.way === COMPUTER) {
      const { name, play } = levels[chosen.level - 1];
      parts.push(
        radios("level", labels["computer-level"], levels.map(numbered)),
        el("p", { class: "strength", role: "status" }, el("b", {}, name), ` · ${play}`),
        radios("side", labels["your-side"], sides.map((side, index) => [index, side])));
    }
    root.replaceChildren(...parts);
  }

  return {
    // Show what can be chosen: *levels* of the computer, names of *sides*.
    offer(labels, levels, sides) {
      offered = { labels, levels, sides };
      chosen.level = Math.min(chosen.level, levels.length || 1);
      if (!levels.length && chosen.way === COMPUTER) chosen.way = FRIEND;
      show();
    },
    choose(next) {
      chosen = { ...chosen, ...next };
    },
    // The *levels* by side were chosen, 0 for people.
    follow(levels) {
      const level = levels.find(Boolean);
      if (level) {
        const side = levels.filter((each) => !each).length === 1 ? levels.indexOf(0) : NOBODY;
        chosen = { way: COMPUTER, level, side };
      } else if (chosen.way === COMPUTER) chosen = { ...chosen, way: FRIEND };
      show();
    },
    get chosen() {
      return chosen;
    },
  };
}
