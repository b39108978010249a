// SPDX-License-Identifier: Apache-2.0
// What a game's rules leave open, when a tournament is announced: a list for each option, and a field where a list is not enough.

import { el } from "../page/dom.js";

const OWN = "own";

export function makeOptions({ say, games }) {
  const known = (slug) => games.find((one) => one.slug === slug)?.options ?? [];
  const label = (option, value) => option.values.find((one) => one.value === value)?.label ?? value;
  let controls = [];

  // A number, or a text such as a map's name or a FEN, is written into the field beside the list.
  function control(option) {
    const free = option.number || option.text;
    const own = !free ? null : el("input", { type: option.number ? "number" : "text", min: option.number ? 1 : null, required: true, hidden: true, disabled: true, "aria-label": option.label });
    const list = el("select", {}, ...option.values.map(({ value, label: text }) => el("option", { value, selected: value === option.default }, text)),
      ...(free ? [el("option", { value: OWN }, say("own_value"))] : []));
    list.addEventListener("change", () => { if (own) own.hidden = own.disabled = list.value !== OWN; });
    controls.push({ option, value: () => (list.value === OWN ? own.value.trim() : list.value) });
    return [el("label", {}, option.label, list), own];
  }

  return {
    // Those of the game *slug*, as parts of a form; what has nothing to choose is left out.
    fields(slug) {
      controls = [];
      return known(slug).filter((one) => one.values.length > 1 || one.number || one.text).flatMap(control).filter(Boolean);
    },
    // What differs from how the game is usually played.
    chosen: () => controls.map(({ option, value }) => [option.name, value()]).filter(([, value], place) => value !== controls[place].option.default),
    // The same of a tournament, in words.
    told: (of) => of.options.flatMap(([name, value]) => known(of.game).filter((one) => one.name === name).map((one) => `${one.label}: ${label(one, value)}`)),
  };
}
