// SPDX-License-Identifier: Apache-2.0
// Values of an option that are no words of a list: a line such as a FEN, the text of a file, or parts
// that are chosen from a pool. What is wrong with them, the program says.

import { el } from "./dom.js";

const LONGEST = 12_000; // letters of a file: more than any map or pawn set needs

// Fields for what *option* may have beside its list: {key, label, root, read}, in the order of the list.
export function ownFields({ label, own, is_line: isLine, composed, groups }) {
  const found = composed ? [{ key: "own-parts", label: composed, ...choice(groups) }] : [];
  if (own) found.push({ key: "own-text", label: own, ...(isLine ? line(label) : file(label)) });
  return found;
}

// A field that is not shown takes no part in the check of the form.
export function showOnly(fields, chosen) {
  fields.forEach(({ key, root }) => (root.hidden = root.disabled = key !== chosen));
}

function line(label) {
  const input = el("input", { type: "text", maxlength: 120, required: true, autocomplete: "off", "aria-label": label });
  return { root: input, read: () => input.value.trim() };
}

function file(label) {
  let text = "";
  const input = el("input", { type: "file", accept: ".toml,.txt,text/plain", required: true, "aria-label": label });
  input.addEventListener("change", async () => {
    input.setCustomValidity("…"); // until it is read
    text = `${(await input.files[0]?.text())?.slice(0, LONGEST) ?? ""}\n`;
    input.setCustomValidity("");
  });
  return { root: input, read: () => text };
}

// As many of each group as it asks for; the others are closed then.
function choice(groups) {
  const boxes = groups.map(({ parts }) => parts.map(({ value }) => el("input", { type: "checkbox", value })));
  const titles = groups.map(() => el("legend"));
  const count = (index) => boxes[index].filter((box) => box.checked).length;
  function tell(index) {
    const { title, count: wanted } = groups[index];
    const said = `${title}: ${count(index)} / ${wanted}`;
    titles[index].textContent = said;
    boxes[index].forEach((box) => (box.disabled = !box.checked && count(index) === wanted));
    boxes[index].forEach((box) => box.setCustomValidity(count(index) === wanted ? "" : said));
  }
  const sets = groups.map(({ parts }, index) => {
    const rows = parts.map(({ label }, place) => el("label", {}, boxes[index][place], label));
    const set = el("fieldset", { class: "parts", onchange: () => tell(index) }, titles[index], ...rows);
    tell(index);
    return set;
  });
  const chosen = () => boxes.flat().filter((box) => box.checked).map((box) => box.value);
  return { root: el("fieldset", { class: "choice" }, ...sets), read: () => chosen().join("+") };
}
