// SPDX-License-Identifier: Apache-2.0
// The options of a tournament's game: a list for each, and a field where a list is not enough.

import { el } from "../page/dom.js";
import { ownFields, showOnly } from "../page/own.js";

const OWN = "own";

export function makeOptions({ say, games }) {
  const known = (slug) => games.find((one) => one.slug === slug)?.options ?? [];
  const label = (option, value) => option.values.find((one) => one.value === value)?.label ?? value;
  let controls = [];

  // A number, or a text such as a map's name or a FEN, is entered in the field beside the list.
  function control(option) {
    const own = option.number || option.text ? ownField(option) : null;
    const choice = ({ value, label: text }) => el("option", { value, selected: value === option.default }, text);
    const list = el("select", {}, ...option.values.map(choice));
    const fields = ownFields({ ...option, own: "" }); // a file lies where the hall runs: its name is entered
    if (own) fields.push({ key: OWN, label: say("own_value"), root: own, read: () => own.value.trim() });
    list.append(...fields.map(({ key, label: called }) => el("option", { value: key }, called)));
    list.addEventListener("change", () => showOnly(fields, list.value));
    showOnly(fields, list.value);
    controls.push({ option, value: () => fields.find(({ key }) => key === list.value)?.read() ?? list.value });
    return [el("label", {}, option.label, list), ...fields.map(({ root }) => root)];
  }

  // It is hidden until the list's last choice is selected.
  function ownField({ number, label: text }) {
    const kind = number ? { type: "number", min: 1 } : { type: "text" };
    return el("input", { ...kind, required: true, hidden: true, disabled: true, "aria-label": text });
  }

  function inWords(of, [name, value]) {
    return known(of.game).filter((one) => one.name === name).map((one) => `${one.label}: ${label(one, value)}`);
  }

  return {
    // The options of game *slug* as parts of a form; options without choices are left out.
    fields(slug) {
      controls = [];
      const isOpen = (one) => one.values.length > 1 || one.number || one.text;
      return known(slug).filter(isOpen).flatMap(control).filter(Boolean);
    },
    // The options that differ from the defaults.
    chosen() {
      const differing = controls.filter(({ option, value }) => value() !== option.default);
      return differing.map(({ option, value }) => [option.name, value()]);
    },
    // The same of a tournament, in words.
    told: (of) => of.options.flatMap((option) => inWords(of, option)),
  };
}
