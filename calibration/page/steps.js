// SPDX-License-Identifier: Apache-2.0
// The forms beside the picture. Each shows what the workshop says and sends what a person wants; none keeps anything.

import { el } from "../shared/dom.js";

const MARKS = { good: "✓", fair: "!", bad: "✕" };
const by = (id) => document.getElementById(id);

// Draws again only if what is drawn has changed, so that what a person is typing or pointing at stays.
function changing(root, build) {
  let before = null;
  return (value) => {
    const now = JSON.stringify(value);
    if (now === before) return;
    before = now;
    root.replaceChildren(...build(value));
  };
}

export function makeSteps({ games, cameras }, say, send, picture) {
  document.querySelectorAll("[data-word]").forEach((element) => (element.textContent = say(element.dataset.word)));
  for (const one of document.querySelectorAll("[data-name]")) one.setAttribute("aria-label", say(one.dataset.name));
  by("cameras").replaceChildren(...cameras.map(([number, name]) => el("option", { value: number }, name)));

  const source = by("source");
  source.onsubmit = (event) => {
    event.preventDefault();
    send("Open", { source: source.source.value.trim() });
  };

  const table = by("choice");
  table.game.replaceChildren(...games.map(({ slug, title }) => el("option", { value: slug }, title)));
  const showOptions = (chosen = {}) => {
    const { options } = games.find(({ slug }) => slug === table.game.value);
    by("options").replaceChildren(
      ...options.map(({ name, label, values }) => {
        const isOwn = chosen[name] && !values.some(({ value }) => value === chosen[name]);
        const all = isOwn ? [{ value: chosen[name], label: chosen[name] }, ...values] : values;
        const choices = all.map((one) => el("option", { value: one.value }, one.label));
        const select = el("select", { name: `option-${name}` }, ...choices);
        if (chosen[name]) select.value = chosen[name];
        return el("label", {}, el("span", {}, label), select);
      }),
    );
  };
  table.game.onchange = () => showOptions();
  table.onsubmit = (event) => {
    event.preventDefault();
    const lists = [...by("options").querySelectorAll("select")];
    const options = lists.map((one) => [one.name.slice("option-".length), one.value]);
    const cellMm = Number(table.cell.value);
    send("Choose", { game: table.game.value, options, cell_mm: cellMm, has_tags: table.tags.checked });
  };
  let shownTable = null;
  const drawTable = (told) => {
    const now = JSON.stringify(told);
    if (now === shownTable) return;
    shownTable = now;
    table.game.value = told.game;
    showOptions(told.options);
    table.cell.value = told.is_measured ? told.cell_mm : "";
    table.cell.placeholder = told.cell_mm;
    table.tags.checked = told.has_tags;
  };

  const clicks = {
    "by-tags": "ByTags",
    lay: "Lay",
    confirm: "Confirm",
    lift: "Lift",
    accept: "Accept",
    discard: "Discard",
    "lens-use": "UseLens",
    "lens-drop": "DropLens",
  };
  for (const [id, wish] of Object.entries(clicks)) by(id).onclick = () => send(wish);
  by("by-hand").onclick = () => picture.begin();
  by("map").onchange = ({ target }) => picture.showMap(target.checked);

  const drawAdvice = changing(by("advice"), (advice) =>
    advice.map(({ level, text }) => {
      const mark = el("b", { role: "img", "aria-label": say(`level-${level}`) }, MARKS[level]);
      return el("li", { class: level }, mark, el("span", {}, text));
    }),
  );
  const drawReferences = changing(by("references"), (taken) =>
    ["empty", "start"].flatMap((shown) => {
      const take = el("button", {}, say(`take-${shown}`));
      take.onclick = () => send("Refer", { shown });
      if (!taken.includes(shown)) return [take];
      const forget = el("button", {}, say("forget"));
      forget.onclick = () => send("Forget", { shown });
      return [el("span", { class: "taken" }, `✓ ${say(`took-${shown}`)} `, forget)];
    }),
  );

  const drawHeights = changing(by("height-set"), ({ usual, kinds, names }) => {
    const own = Object.entries(kinds).map(([kind, mm]) => [kind, names[kind], mm]);
    return [["", say("height-usual"), usual], ...own].map(([kind, name, mm]) => {
      const field = el("input", { type: "number", min: 0, max: 300, step: 0.1, value: mm ?? "", placeholder: usual });
      field.onchange = () => field.value !== "" && send("SetHeight", { kind, mm: Number(field.value) });
      return el("label", {}, el("span", {}, say("height-of", { kind: name })), field);
    });
  });
  by("height-set").onsubmit = (event) => event.preventDefault();
  const measure = by("height-measure");
  const drawKinds = changing(measure.kind, (names) =>
    Object.entries(names).map(([kind, name]) => el("option", { value: kind }, name)),
  );
  measure.onsubmit = (event) => {
    event.preventDefault();
    send("MeasureHeight", { kind: measure.kind.value, cells: measure.cells.value });
  };

  const drawBars = changing(by("bars"), (bars) =>
    Object.entries(bars).map(([name, full]) => {
      const meter = el("meter", { min: 0, max: 1, value: full });
      return el("label", {}, el("span", {}, say(`bar-${name}`)), meter);
    }),
  );
  let isCharting = false;
  by("lens-start").onclick = () => send("Chart", { is_on: !isCharting });
  const drawLens = (lens) => {
    isCharting = lens.is_on;
    if ((lens.is_wanted && !by("lens").dataset.asked) || lens.is_on) by("lens").open = true;
    if (lens.is_wanted) by("lens").dataset.asked = "yes";
    const found = lens.found && say("lens-now", { bend: lens.found.k1, rms: lens.found.rms_px });
    by("views").textContent = [say("lens-views", lens), found].filter(Boolean).join(" · ");
    by("lens-start").textContent = say(lens.is_on ? "lens-stop" : "lens-start");
    by("lens-use").disabled = lens.views < lens.fewest;
    by("lens-use").classList.toggle("main", lens.is_enough);
    by("lens-drop").disabled = !lens.found && !lens.views;
    drawBars(lens.bars);
  };

  const name = by("name");
  name.name.onchange = () => send("Call", { name: name.name.value });
  name.onsubmit = (event) => event.preventDefault();
  const heads = ["before", "after"].map((key) => el("th", { scope: "col" }, say(key)));
  const drawRow = ([label, before, after, isWorse]) =>
    el(
      "tr", {},
      el("th", { scope: "row" }, label),
      el("td", {}, before),
      isWorse ? el("td", { class: "worse" }, `${after} !`) : el("td", {}, after),
    );
  const drawRows = changing(by("rows"), (rows) => [
    el("thead", {}, el("tr", {}, el("td"), ...heads)),
    el("tbody", {}, ...rows.map(drawRow)),
  ]);

  const drawProfiles = changing(by("profiles"), (profiles) => {
    if (!profiles.length) return [el("li", {}, say("no-profiles"))];
    return profiles.map((profile) => {
      const rename = el("button", { "aria-label": `${say("rename")}: ${profile.name}` }, say("rename"));
      const remove = el("button", { "aria-label": `${say("delete")}: ${profile.name}` }, say("delete"));
      rename.onclick = async () => {
        const answer = await ask(say("rename-to", profile), profile.name);
        if (answer) send("Rename", { name: profile.name, new: answer });
      };
      remove.onclick = async () => {
        if ((await ask(say("delete-really", profile))) !== null) send("Delete", { name: profile.name });
      };
      const residual = say("residual", { rms: profile.residual });
      const about = profile.fault ?? [profile.made, profile.camera, profile.grid, residual].join(" · ");
      const buttons = el("span", { class: "buttons" }, rename, remove);
      return el("li", {}, el("b", {}, profile.name), el("span", { class: "hint" }, about), buttons);
    });
  });

  // What is to be done next comes into view when its turn has come.
  let stage = "looking";
  const turnTo = (next) => {
    const section = { laid: "check", confirmed: "reference" }[next];
    if (next !== stage && section) by(section).scrollIntoView({ block: "nearest" });
    stage = next;
  };

  return function draw(state) {
    by("note").textContent = state.busy ? say("busy") : state.note.text;
    by("note").classList.toggle("fault", state.note.is_fault && !state.busy);
    by("source-fault").textContent = state.source.fault;
    by("source-ended").textContent = state.source.ended;
    if (document.activeElement !== source.source && state.source.name) source.source.value = state.source.name;
    drawTable(state.table);
    const [isLaid, isConfirmed] = [state.stage !== "looking", state.stage === "confirmed"];
    by("check").hidden = !isLaid;
    by("confirm").disabled = isConfirmed;
    by("lay").disabled = !state.handles;
    by("map-word").textContent = say(state.table.has_tags ? "map-module" : "map-cell");
    for (const id of ["reference", "keep"]) by(id).hidden = !isConfirmed;
    by("heights").hidden = !isLaid;
    by("height-measure").hidden = !state.table.has_tags;
    by("height-word").textContent = say(state.table.has_tags ? "heights" : "heights-bare");
    drawAdvice(state.advice);
    drawReferences(state.references);
    drawHeights(state.heights);
    drawKinds(state.heights.names);
    drawLens(state.lens);
    if (document.activeElement !== name.name) name.name.value = state.name;
    drawRows(state.rows);
    drawProfiles(state.profiles);
    turnTo(state.stage);
  };
}

// A question in a dialog: the answer, "" for a mere yes, null for no.
function ask(question, proposed = null) {
  const dialog = by("ask");
  const field = dialog.querySelector("input");
  by("asked").textContent = question;
  field.hidden = proposed === null;
  field.required = proposed !== null;
  field.value = proposed ?? "";
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes" ? field.value.trim() : null);
  });
}
