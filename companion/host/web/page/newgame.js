// SPDX-License-Identifier: Apache-2.0
// The dialog for a new game, with options, players and time control. All choices and words come
// from the program.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);
const OWN = "own";
const PERSON = "0"; // in place of a level of the computer

// *places* returns the devices on which a game can be played, if people choose one; *clear* takes all
// pieces off a virtual table, where the menu on its board opens then.
export function makeNewGame({ begin, offers, places = null, clear = null }) {
  const dialog = byId("new-game");
  const form = dialog.querySelector("form");
  const [games, options, players, time] = ["game", "options", "players", "time"].map(byId);
  let offered = null;
  let table = null;

  const field = (label, control) => el("label", {}, el("span", {}, label), control);

  function select(choices, chosen) {
    const made = el("select", {}, ...choices.map(({ value, label }) => new Option(label, value)));
    if (choices.some(({ value }) => value === chosen)) made.value = chosen;
    return made;
  }

  const number = (value, most, least = 1) => el("input", { type: "number", min: least, max: most, value, required: true });

  // An option with a number is a list of its other values, with a number field beside it.
  function option({ name, label, default: usual, values, number: isNumber }, chosen) {
    const value = chosen ?? usual;
    const isOwn = isNumber && /^\d+$/.test(value);
    const control = select(isNumber ? [...values, { value: OWN, label: table.labels.number }] : values, isOwn ? OWN : value);
    control.name = name;
    const made = field(label, control);
    if (isNumber) {
      const own = number(isOwn ? value : 20, 999);
      own.setAttribute("aria-label", label);
      made.append(own);
      follow(control, own);
    }
    return made;
  }

  // *own* is visible only while its list selects it.
  function follow(list, ...own) {
    const show = () => own.forEach((each) => (each.hidden = each.disabled = list.value !== OWN));
    list.addEventListener("change", show);
    show();
  }

  function chosenGame() {
    return offered.games.find(({ slug }) => slug === games.value);
  }

  function showGame() {
    const game = chosenGame();
    const isSame = game.slug === table.game;
    const shown = game.options.filter(({ values, number: isNumber }) => values.length > 1 || isNumber);
    options.replaceChildren(...shown.map((each) => option(each, isSame ? table.options[each.name] : undefined)));
    options.querySelectorAll("select").forEach((each) => each.addEventListener("change", showPlayers));
    byId("rules").replaceChildren(...game.rules.map((sentence) => el("li", {}, sentence)));
    showPlaces();
    showPlayers();
  }

  // A device that was chosen stays chosen while it fits.
  function showPlaces(wanted = null) {
    if (!places) return;
    const chosen = wanted ?? form.elements.device?.value;
    const control = select(places(games.value), chosen);
    control.name = "device";
    byId("place").replaceChildren(field(table.labels["play-on"], control));
  }

  // A side is played by a person, with a name, or by the computer, at one of its levels.
  function player(side, name, level, most) {
    const { labels, levels } = table;
    const input = el("input", { maxlength: 40, autocomplete: "off", value: name, placeholder: labels.player });
    input.setAttribute("aria-label", `${labels.player}: ${side}`);
    const said = (called, index) => `${labels.computer}: ${index + 1} ${called}`;
    const computers = levels.slice(0, most).map((called, index) => ({ value: String(index + 1), label: said(called, index) }));
    if (!computers.length) return field(side, input);
    const who = select([{ value: PERSON, label: labels.person }, ...computers], String(Math.min(level, most)));
    const show = () => (input.hidden = who.value !== PERSON);
    who.addEventListener("change", show);
    show();
    const made = field(side, who);
    made.append(input);
    return made;
  }

  // The sides may depend on an option: who was chosen keeps the place.
  function showPlayers() {
    const game = chosenGame();
    const picked = game.options.map(({ name, values }) => values.find(({ value }) => value === form.elements[name]?.value));
    const sides = picked.find((value) => value?.sides)?.sides ?? game.sides;
    const { names, levels } = players.children.length ? chosenPlayers() : { names: table.players, levels: table.computers };
    players.replaceChildren(...sides.map((side, index) => player(side, names[index] ?? "", levels[index] ?? 0, game.levels)));
  }

  // Names by side, and levels of the computer, 0 for people.
  function chosenPlayers() {
    const rows = [...players.children];
    const levels = rows.map((row) => Number(row.querySelector("select")?.value ?? PERSON));
    const names = rows.map((row, side) => (levels[side] ? "" : row.querySelector("input").value.trim()));
    return { names, levels };
  }

  function showTime() {
    const { labels, control } = table;
    const choices = [{ value: "none", label: labels["no-time"] }, ...offered.controls, { value: OWN, label: labels["own-time"] }];
    const own = /^(\d+)(?:\+(\d+))?$/.exec(control);
    const isKnown = choices.some(({ value }) => value === control);
    if (!isKnown && !own) choices.push({ value: control, label: control }); // more than this form can express
    const chosen = select(choices, isKnown || !own ? control : OWN);
    chosen.id = "control";
    const minutes = number(own?.[1] ?? 20, 600);
    const seconds = number(own?.[2] ?? 0, 600, 0);
    [minutes.name, seconds.name] = ["minutes", "seconds"];
    const parts = [field(labels.minutes, minutes), field(labels.seconds, seconds)];
    time.replaceChildren(field(labels.time, chosen), ...parts);
    const show = () => {
      parts.forEach((part) => (part.hidden = chosen.value !== OWN));
      [minutes, seconds].forEach((input) => (input.disabled = chosen.value !== OWN));
    };
    chosen.addEventListener("change", show);
    show();
  }

  function wish() {
    const { value } = byId("control");
    const { minutes, seconds } = form.elements;
    const control = value === OWN ? `${minutes.value}+${seconds.value}`.replace(/\+0*$/, "") : value;
    const chosen = [...options.querySelectorAll("label")].map((label) => {
      const [list, own] = label.querySelectorAll("select, input");
      return [list.name, list.value === OWN ? own.value : list.value];
    });
    const { names, levels } = chosenPlayers();
    const isPeople = !levels.some(Boolean);
    const others = chosenGame().options.filter(({ name, values }) => values.length === 1 && !chosen.some(([known]) => known === name));
    return {
      game: games.value,
      options: [...chosen, ...others.map(({ name, values }) => [name, values[0].value])],
      players: names.some(Boolean) ? names : [],
      control,
      played_by: isPeople ? [] : levels.map((level) => (level ? "computer" : "table")),
      levels: isPeople ? [] : levels,
      language: document.documentElement.lang,
      ...(places ? { device: form.elements.device.value } : {}),
    };
  }

  form.addEventListener("submit", (event) => {
    if (event.submitter?.value === "begin") begin(wish());
    if (event.submitter?.value === "clear") clear();
  });
  games.addEventListener("change", showGame);

  return {
    table(next) {
      table = next;
    },
    // The devices have changed while the dialog is open.
    refresh() {
      if (dialog.open) showPlaces();
    },
    // *device* is chosen at first, if there are several.
    async open(view, device = null, isVirtual = false) {
      offered = await offers();
      if (!offered || document.querySelector("dialog[open]")) return; // another dialog was opened in the meantime
      table.options = view.options;
      table.game = view.game;
      games.replaceChildren(...offered.games.map(({ slug, title }) => new Option(title, slug)));
      games.value = view.game;
      players.replaceChildren();
      byId("drop").hidden = Boolean(view.outcome) || !view.record.length;
      byId("at-board").hidden = !(clear && isVirtual && byId("drop").hidden);
      showTime();
      showGame();
      showPlaces(device);
      dialog.showModal();
    },
  };
}
