// SPDX-License-Identifier: Apache-2.0
// The options of a tournament's game: a list for each, and a field where a list is not enough.

import { el } from "../page/dom.js";

const OWN = "own";

export function makeOptions({ say, games }) {
  const known = (slug) => games.find((one) => one.slug === slug)?.options ?? [];
  const label = (option, value) => option.values.find((one) => one.value === value)?.label ?? value;
  let controls = [];

  // A number, or a text such as a map's name or a FEN, is entered in the field beside the list.
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
    // The options of game *slug* as parts of a form; options without choices are left out.
    fields(slug) {
      controls = [];
      return known(slug).filter((one) => one.values.length > 1 || one.number || one.text).flatMap(control).filter(Boolean);
    },
    // The options that differ from the defaults.
    chosen: () => controls.map(({ option, value }) => [option.name, value()]).filter(([, value], place) => value !== controls[place].option.default),
    // The same of a tournament, in words.
    told: (of) => of.options.flatMap(([name, value]) => known(of.game).filter((one) => one.name === name).map((one) => `${one.label}: ${label(one, value)}`)),
  };
}
