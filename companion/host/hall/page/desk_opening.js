// SPDX-License-Identifier: Apache-2.0
// The form by which a tournament is announced at the desk.

import { el } from "../page/dom.js";
import { makeOptions } from "./desk_options.js";

const MOST_TIES = 4;
const LONGEST_KEY = 40;

// The short name that *name* suggests: `Zürich Open 2026` becomes `zurich-open-2026`.
const shortened = (name) => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-")
  .slice(0, LONGEST_KEY).replace(/^-+|-+$/g, "");

export function makeOpening({ say, known, write, games, formats }) {
  const number = (max) => el("input", { type: "number", min: 0, max, value: 0, required: true });
  const text = () => el("input", { required: true });
  const options = makeOptions({ say, games });
  const onlyTeams = new Set(formats[0].only_teams);

  function tieList(place) {
    const names = known.filter((key) => key.startsWith("tie_")).map((key) => key.slice(4));
    const option = (value) => el("option", { value, "data-team": onlyTeams.has(value) || null }, say(`tie_${value}`));
    return el("select", { "aria-label": `${say("ties")} ${place + 1}` },
      el("option", { value: "" }, "–"),
      ...names.map(option));
  }

  function controls() {
    return {
      key: text(),
      name: text(),
      game: el("select", {}, ...games.map((one) => el("option", { value: one.slug }, one.title)), el("option", { value: "" }, say("mixed_games"))),
      seats: el("input", { type: "number", min: 2, max: 6, value: 2, required: true }),
      format: el("select", {}, ...formats.map((one) => el("option", { value: one.format }, say(`format_${one.format}`)))),
      rounds: number(60),
      acceleration: el("select", {}, ...["", "baku"].map((value) => el("option", { value }, say(`acceleration_${value || "none"}`)))),
      boards_of_match: number(14),
      delay: number(60),
    };
  }

  async function announce(fields, ties) {
    const seconds = 60 * Number(fields.delay.value);
    const key = fields.key.value;
    const told = await write({
      is: "Opened",
      key,
      name: fields.name.value,
      format: fields.format.value,
      game: fields.game.value,
      seats: Number(fields.seats.value),
      options: options.chosen(),
      planned: Number(fields.rounds.value),
      tie_breaks: [...new Set(ties.map((each) => each.value).filter(Boolean))],
      boards: Number(fields.boards_of_match.value),
      acceleration: fields.acceleration.value,
    });
    if (told && seconds) await write({ is: "DelaySet", key, seconds });
    return told;
  }

  return function opening() {
    const fields = controls();
    const rules = el("fieldset", { class: "fields" });
    let isSuggested = true; // until somebody writes another short name
    const ties = Array.from({ length: MOST_TIES }, (_, place) => tieList(place));
    const showOptions = () => {
      const shown = options.fields(fields.game.value);
      rules.hidden = !shown.length;
      rules.replaceChildren(el("legend", {}, say("options")), ...shown);
    };
    const suggestTies = () => {
      const format = formats.find((one) => one.format === fields.format.value);
      const isOfTeams = Number(fields.boards_of_match.value) > 0;
      const usual = format[isOfTeams ? "team_ties" : "ties"];
      ties.forEach((each, place) => {
        each.value = usual[place] ?? "";
        for (const option of each.querySelectorAll("[data-team]")) option.hidden = option.disabled = !isOfTeams;
      });
    };
    const refresh = () => {
      suggestTies();
      showOptions();
    };
    fields.name.addEventListener("input", () => {
      if (isSuggested) fields.key.value = shortened(fields.name.value);
    });
    fields.key.addEventListener("input", () => { isSuggested = !fields.key.value; });
    fields.game.addEventListener("change", showOptions);
    fields.format.addEventListener("change", suggestTies);
    fields.boards_of_match.addEventListener("change", suggestTies);
    refresh();
    const submit = async (event) => {
      event.preventDefault();
      if (await announce(fields, ties)) {
        event.target.reset();
        isSuggested = true;
      }
      refresh();
    };
    const label = (key, written = say(key)) => el("label", {}, written, fields[key]);
    return el("details", {},
      el("summary", {}, say("open_tournament")),
      el("form", { onsubmit: submit },
        ...["name", "key", "game", "seats", "format", "rounds", "acceleration", "boards_of_match"].map((key) => label(key)),
        rules,
        el("fieldset", { class: "fields" }, el("legend", {}, say("ties")), ...ties),
        label("delay", `${say("delay")} (${say("minutes")})`),
        el("button", { class: "act main", type: "submit" }, say("open"))));
  };
}
