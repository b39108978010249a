// SPDX-License-Identifier: Apache-2.0
// The dialog for a new game: who plays against whom, and under *More rules* options, names and time
// control. All choices and words come from the program.

import { makeAgainst } from "./against.js";
import { el } from "./dom.js";
import { showJoin } from "./join.js";
import { ownFields, showOnly } from "./own.js";
import { COMPUTER, ELSEWHERE, FRIEND, makeWays } from "./ways.js";

const byId = (id) => document.getElementById(id);
const OWN = "own";
const PERSON = "0"; // in place of a level of the computer
const CHESS = "chess"; // the only game of servers

// *prefs* keep who played the computer at which level.
// *places* returns the devices on which a game can be played, if people choose one; *clear* takes all
// pieces off a virtual table, where the menu on its board opens then; *invite* begins a game on a server.
export function makeNewGame({ prefs, begin, offers, places = null, clear = null, invite = null }) {
  const dialog = byId("new-game");
  const form = dialog.querySelector("form");
  const [games, options, players, time] = ["game", "options", "players", "time"].map(byId);
  const [elsewhere, more] = ["elsewhere", "more"].map(byId);
  const against = makeAgainst(byId("against"), showElsewhere);
  const ways = makeWays(byId("ways"), seat);
  const readers = new Map(); // functions that read the value of an option, by its name
  let offered = null;
  let table = null;

  const field = (label, control) => el("label", {}, el("span", {}, label), control);

  function select(choices, chosen) {
    const made = el("select", {}, ...choices.map(({ value, label }) => new Option(label, value)));
    if (choices.some(({ value }) => value === chosen)) made.value = chosen;
    return made;
  }

  const number = (value, most, least = 1) => el("input", { type: "number", min: least, max: most, value, required: true });

  // An option is a list of its values. Where it takes a number, a text or chosen parts, too, the list has an
  // entry for that, and the field is visible only while it is selected. Returns the parts of the form.
  function option(offer, chosen) {
    const { name, label, default: usual, values, number: isNumber } = offer;
    const value = chosen ?? usual;
    const isOwn = isNumber && /^\d+$/.test(value);
    const fields = ownFields(offer);
    if (isNumber) {
      const root = number(isOwn ? value : 20, 999);
      root.setAttribute("aria-label", label);
      fields.push({ key: OWN, label: table.labels.number, root, read: () => root.value });
    }
    const choices = [...values, ...fields.map(({ key, label: called }) => ({ value: key, label: called }))];
    // A map or a set of the game before, which is long, goes by its title.
    if (!isOwn && !choices.some((each) => each.value === value)) choices.push({ value, label: value.split(";")[0] });
    const list = select(choices, isOwn ? OWN : value);
    list.name = name;
    const show = () => showOnly(fields, list.value);
    list.addEventListener("change", show);
    show();
    readers.set(name, () => fields.find(({ key }) => key === list.value)?.read() ?? list.value);
    const inputs = fields.map(({ root }) => root).filter((root) => root.matches("input"));
    const made = field(label, list);
    made.append(...inputs);
    return [made, ...fields.map(({ root }) => root).filter((root) => !inputs.includes(root))];
  }

  function chosenGame() {
    return offered.games.find(({ slug }) => slug === games.value);
  }

  function showGame() {
    const game = chosenGame();
    const isSame = game.slug === table.game;
    const shown = game.options.filter(({ values, number: isNumber, own }) => values.length > 1 || isNumber || own);
    readers.clear();
    options.replaceChildren(...shown.flatMap((each) => option(each, isSame ? table.options[each.name] : undefined)));
    options.querySelectorAll("select").forEach((each) => each.addEventListener("change", showPlayers));
    byId("rules").replaceChildren(...game.rules.map((sentence) => el("li", {}, sentence)));
    against.offer(table.labels, Boolean(invite && offered.server) && game.slug === CHESS);
    showPlaces();
    showPlayers();
  }

  // A server decides the options and who plays.
  function showElsewhere() {
    const isElsewhere = ways.chosen.way === ELSEWHERE;
    const isOnServer = isElsewhere && against.isElsewhere;
    elsewhere.hidden = elsewhere.disabled = !isElsewhere;
    elsewhere.classList.toggle("on-server", isOnServer);
    options.hidden = players.hidden = byId("rules").hidden = isOnServer;
    time.hidden = isOnServer && against.hasDays;
    if (isOnServer) more.open = true;
  }

  // Put a person on each side, or the computer on all sides but one, as it was chosen.
  function seat() {
    const { way, level, side } = ways.chosen;
    players.querySelectorAll(".player select").forEach((who, index) => {
      who.value = way === COMPUTER && index !== side ? level : PERSON;
      who.dispatchEvent(new Event("change"));
    });
    if (way === ELSEWHERE) showJoin(byId("against"));
    showElsewhere();
  }

  // The level and the side of the last game against the computer.
  function recall() {
    const { sides, levels, usual_level: usual } = chosenGame();
    const { level = usual, side = 0 } = prefs.get("against")[games.value] ?? {};
    ways.choose({ level: Math.min(level, levels.length), side: Math.min(side, sides.length - 1) });
  }

  function remember({ way, level, side }) {
    if (way !== COMPUTER || side < 0) return;
    prefs.set("against", { ...prefs.get("against"), [games.value]: { level, side } });
  }

  // A device that was chosen stays chosen while it fits.
  function showPlaces(wanted = null) {
    if (!places) return;
    const chosen = wanted ?? form.elements.device?.value;
    const found = places(games.value);
    const control = select(found, chosen);
    control.name = "device";
    byId("place").hidden = found.length === 1;
    byId("place").replaceChildren(field(table.labels["play-on"], control));
  }

  // A side is played by a person, with a name, or by the computer, at one of the game's *levels*.
  function player(side, name, level, isWarned, levels) {
    const { labels } = table;
    const input = el("input", { maxlength: 40, autocomplete: "off", value: name, placeholder: labels.player });
    input.setAttribute("aria-label", `${labels.player}: ${side}`);
    if (!levels.length) return field(side, input);
    const who = select([{ value: PERSON, label: labels.person }], PERSON);
    who.append(el("optgroup", { label: labels.computer }, ...levels.map(({ label }, index) => new Option(label, index + 1))));
    who.value = String(Math.min(level, levels.length)); // a person is 0
    const warn = el("input", { type: "checkbox", checked: isWarned, "aria-label": `${labels.warn}: ${side}` });
    const warning = el("label", { class: "switch", title: labels["warn-about"] }, warn, el("span", {}, labels.warn));
    const show = () => (input.hidden = warning.hidden = who.value !== PERSON);
    who.addEventListener("change", show);
    who.addEventListener("input", () => ways.follow(chosenPlayers().levels));
    show();
    return el("div", { class: "player" }, field(side, who), input, warning);
  }

  // The sides may depend on an option: who was chosen keeps the place.
  function showPlayers() {
    const game = chosenGame();
    const picked = game.options.map(({ name, values }) => values.find(({ value }) => value === form.elements[name]?.value));
    const sides = picked.find((value) => value?.sides)?.sides ?? game.sides;
    const now = { names: table.players, levels: table.computers, warned: table.warned };
    const { names, levels, warned } = players.children.length ? chosenPlayers() : now;
    const computers = table.levels?.length === 0 ? [] : game.levels; // none where an arbiter decides
    const joining = ways.chosen.way === COMPUTER ? ways.chosen.level : 0; // plays a side that was not there
    players.replaceChildren(...sides.map((side, index) =>
      player(side, names[index] ?? "", levels[index] ?? joining, warned.includes(index), computers)));
    ways.offer(table.labels, computers, sides);
    ways.follow(chosenPlayers().levels);
    showElsewhere();
  }

  // Names by side, levels of the computer, 0 for people, and the sides that are warned.
  function chosenPlayers() {
    const rows = [...players.children];
    const levels = rows.map((row) => Number(row.querySelector("select")?.value ?? PERSON));
    const names = rows.map((row, side) => (levels[side] ? "" : row.querySelector("input").value.trim()));
    const isWarned = (row, side) => !levels[side] && row.querySelector("input[type=checkbox]")?.checked;
    return { names, levels, warned: rows.flatMap((row, side) => (isWarned(row, side) ? [side] : [])) };
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
    const chosen = [...readers].map(([name, read]) => [name, read()]);
    const { names, levels, warned } = chosenPlayers();
    const isPeople = !levels.some(Boolean);
    const others = chosenGame().options.filter(({ name, values }) => values.length === 1 && !chosen.some(([known]) => known === name));
    return {
      game: games.value,
      options: [...chosen, ...others.map(({ name, values }) => [name, values[0].value])],
      players: names.some(Boolean) ? names : [],
      control,
      played_by: isPeople ? [] : levels.map((level) => (level ? "computer" : "table")),
      levels: isPeople ? [] : levels,
      warned,
      language: document.documentElement.lang,
      ...(places ? { device: form.elements.device.value } : {}),
    };
  }

  form.addEventListener("submit", (event) => {
    const isBegun = event.submitter?.value === "begin";
    const met = isBegun && ways.chosen.way === ELSEWHERE ? against.read() : null;
    if (met) {
      const { game, control, language } = wish();
      invite({ place: offered.server, ...met, game: { game, language, control: met.days ? "" : control } });
    } else if (isBegun) {
      remember(ways.chosen);
      begin(wish());
    }
    if (event.submitter?.value === "clear") clear();
  });
  games.addEventListener("change", () => {
    byId("refused").textContent = ""; // it was about the other game
    recall();
    showGame();
    if (ways.chosen.way !== COMPUTER) return;
    recall(); // who was chosen for the other game kept the place
    seat();
    ways.follow(chosenPlayers().levels);
  });
  form.addEventListener("invalid", () => (more.open = true), true); // what is missing may be folded up

  return {
    table(next) {
      table = next;
    },
    // The devices have changed while the dialog is open.
    refresh() {
      if (dialog.open) showPlaces();
    },
    // *device* is chosen at first, if there are several; without a *way* those play who played before.
    async open(view, { device = null, isVirtual = false, way = null } = {}) {
      offered = await offers();
      if (!offered || document.querySelector("dialog[open]")) return; // another dialog was opened in the meantime
      table.options = view.options;
      table.game = view.game;
      games.replaceChildren(...offered.games.map(({ slug, title }) => new Option(title, slug)));
      games.value = view.game;
      players.replaceChildren();
      byId("drop").hidden = Boolean(view.outcome) || !view.record.length;
      byId("at-board").hidden = !(clear && isVirtual && byId("drop").hidden);
      more.open = false;
      ways.choose({ way: way ?? FRIEND });
      recall();
      showTime();
      showGame();
      showPlaces(device);
      if (way) {
        recall();
        ways.choose({ way });
        seat();
        ways.follow(chosenPlayers().levels);
      }
      dialog.showModal();
      form.querySelector("[value=begin]").focus();
    },
  };
}
