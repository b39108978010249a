// SPDX-License-Identifier: Apache-2.0
// The overview at the desk: a tile for each board, sorted, filtered by state and by what is typed.

import { el } from "../page/dom.js";
import { columnsFor, MARKS, matches, sinceOf, sorted, SORTS, stateOf, STATES, tablesByBoard } from "./desk_states.js";
import { clock, clockTexts, drawNames, hallNow } from "./shared.js";

const LARGEST_PX = 120; // the height and width of a tile where there are few
const WIDEST_PX = 272;
const ROOMY_PX = 84; // from here on a tile has a line for each player

export function makeGrid({ say, newest, open, opened }) {
  const tiles = new Map();
  const chosen = { sort: "number", states: new Set(), text: "" };
  const list = el("ul", { id: "boards", "aria-label": say("boards") });
  const chips = el("div", { class: "chips", role: "group", "aria-label": say("states") });
  const search = el("div");
  const none = el("p", { id: "no_boards" }, say("no_boards"));
  const sort = el("select", { "aria-label": say("sort"), onchange: () => { chosen.sort = sort.value; draw(); } },
    ...SORTS.map((value) => el("option", { value }, say(`sort_${value}`))));
  let shown = [];

  function put(place, text) {
    if (place.textContent !== text) place.textContent = text;
  }

  function makeTile(name) {
    const [number, state, players, clocks] = ["strong", "span", "span", "span"].map((tag) => el(tag));
    state.className = "state";
    players.className = "who";
    clocks.className = "clocks";
    const head = el("span", { class: "head" }, number, state);
    const onclick = () => open(opened() === name ? null : name);
    const button = el("button", { type: "button", class: "tile", "data-board": name, onclick }, head, players, clocks);
    const tile = { element: el("li", {}, button), button };
    tile.draw = (entry) => {
      tile.entry = entry;
      const { board, table } = entry;
      const label = say(`state_${entry.state}`);
      put(number, table ? String(table.table) : board.name);
      drawNames(players, table?.seated ?? []);
      button.dataset.state = entry.state;
      button.title = [table && `${say("table")} ${table.table}`, board.name, ...(table?.seated ?? []), label]
        .filter(Boolean).join(" · ");
      button.setAttribute("aria-label", button.title);
      button.setAttribute("aria-pressed", opened() === name);
      button.style.setProperty("--taken", entry.colour ?? "transparent");
      tile.tick();
    };
    tile.tick = () => {
      const { board, since, state: of } = tile.entry;
      const time = since === null ? say(`state_${of}`) : clock(hallNow() - since);
      put(state, `${MARKS[of]} ${time}`);
      const times = clockTexts(board);
      if (clocks.children.length !== times.length) clocks.replaceChildren(...times.map(() => el("span")));
      times.forEach((text, side) => {
        put(clocks.children[side], text);
        clocks.children[side].className = board.glance.clocks[side].is_running ? "running" : "";
      });
    };
    return tile;
  }

  // A chip for each state that a board has, with the number of these boards; pressed, it hides the others.
  function drawChips(entries) {
    const present = STATES.filter((state) => entries.some((one) => one.state === state) || chosen.states.has(state));
    const counts = present.map((state) => `${state} ${entries.filter((one) => one.state === state).length}`).join();
    const key = [counts, ...chosen.states].join();
    if (chips.dataset.key === key) return;
    chips.dataset.key = key;
    const focused = chips.contains(document.activeElement) ? document.activeElement.dataset.state : null;
    chips.replaceChildren(...present.map((state) => {
      const toggle = () => {
        if (!chosen.states.delete(state)) chosen.states.add(state);
        draw();
      };
      const count = entries.filter((one) => one.state === state).length;
      const isOn = chosen.states.has(state);
      const title = say(`state_${state}`);
      return el("button", { type: "button", title, "data-state": state, "aria-pressed": String(isOn), onclick: toggle },
        `${MARKS[state]} `, el("span", {}, `${say(`state_${state}`)} `), el("b", {}, String(count)));
    }));
    if (focused) chips.querySelector(`[data-state="${focused}"]`)?.focus();
  }

  function fit() {
    const [width, height] = [list.clientWidth, list.clientHeight];
    if (!width || !shown.length) return;
    const columns = columnsFor(shown.length, width, height);
    const rows = Math.ceil(shown.length / columns);
    list.style.setProperty("--columns", columns);
    list.style.setProperty("--row", `${Math.min(LARGEST_PX, Math.floor(height / rows) - 4)}px`);
    list.classList.toggle("dense", height / rows < 66);
    list.classList.toggle("roomy", height / rows >= ROOMY_PX);
    list.style.setProperty("--widest", width / columns > WIDEST_PX ? `${WIDEST_PX}px` : "1fr");
  }
  new ResizeObserver(fit).observe(list);

  function entriesOf({ boards, tournaments, alarms, arbiters }) {
    const tables = tablesByBoard(tournaments);
    return boards.map((board) => {
      const { of, round, table } = tables.get(board.board) ?? {};
      const state = stateOf(board, table);
      const holder = alarms.find((alarm) => alarm.board === board.board && alarm.taken_by)?.taken_by;
      const colour = holder ? `var(--owner-${arbiters.indexOf(holder) % 6})` : null;
      return { board, of, round, table, state, since: sinceOf(state, board, alarms), colour };
    });
  }

  function draw() {
    const what = newest();
    if (!what) return;
    const entries = entriesOf(what);
    none.hidden = entries.length > 0;
    drawChips(entries);
    const isWanted = (one) => (!chosen.states.size || chosen.states.has(one.state)) && matches(one, chosen.text);
    const before = shown.map((one) => one.board.board).join("\n");
    shown = sorted(entries.filter(isWanted), chosen.sort);
    for (const entry of shown) {
      const { board } = entry.board;
      if (!tiles.has(board)) tiles.set(board, makeTile(board));
      tiles.get(board).draw(entry);
    }
    const names = shown.map((one) => one.board.board);
    if (names.join("\n") !== before) {
      const active = list.contains(document.activeElement) ? document.activeElement : null;
      list.replaceChildren(...names.map((name) => tiles.get(name).element));
      active?.focus();
      fit();
    }
    const here = new Set(entries.map((one) => one.board.board));
    for (const name of [...tiles.keys()].filter((each) => !here.has(each))) tiles.delete(name);
    const rover = names.includes(opened()) ? opened() : names[0];
    for (const name of names) tiles.get(name).button.tabIndex = name === rover ? 0 : -1;
  }

  // Arrow keys go from tile to tile.
  list.addEventListener("keydown", (event) => {
    const columns = Number(list.style.getPropertyValue("--columns"));
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const names = shown.map((one) => one.board.board);
    const at = names.indexOf(event.target.dataset.board);
    if (!by || at < 0) return;
    event.preventDefault();
    tiles.get(names[at + by])?.button.focus();
  });

  setInterval(() => shown.forEach((one) => tiles.get(one.board.board)?.tick()), 250);

  return {
    element: el("section", { class: "overview", "aria-label": say("boards") },
      search, el("div", { class: "filter" }, chips, sort), none, list),
    search,
    draw,
    find(text) {
      chosen.text = text;
      draw();
    },
    entries: () => (newest() ? entriesOf(newest()) : []),
    focus: (name) => tiles.get(name)?.button.focus(),
  };
}
