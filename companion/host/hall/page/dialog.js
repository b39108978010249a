// SPDX-License-Identifier: Apache-2.0
// One question at a time: an action, its consequences, and a remark for the book.

import { el } from "../page/dom.js";

// Asks for *fields*; resolves to the values by key, or to null if cancelled. A field is { key,
// label, type, value, options, required, min, max, rows }; *text* explains the consequences.
// *across* fields are placed in a row; *more* elements follow the text, which says why if nothing *isPossible*.
export function ask(say, title, text, fields = [], across = 1, more = [], isPossible = true) {
  const inputs = fields.map((field) => [field.key, input(field)]);
  const sure = el("button", { class: "act main", type: "submit", value: "sure", disabled: !isPossible }, say("sure"));
  const cancel = el("button", { class: "act", type: "button", onclick: () => dialog.close() }, say("cancel"));
  const dialog = el("dialog", { "aria-labelledby": "dialog-title" },
    el("form", { method: "dialog" },
      el("h2", { id: "dialog-title" }, title),
      text ? el("p", { class: "warning" }, text) : null,
      ...more,
      fields.length ? el("div", { class: "fields" }, ...fields.map((field, index) => el("label", {}, field.label, inputs[index][1]))) : null,
      el("p", { class: "buttons" }, sure, cancel),
    ),
  );
  // Enter answers from a list, too, where browsers only open it.
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("select")) return;
    event.preventDefault();
    sure.click();
  });
  dialog.style.setProperty("--across", across);
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  (inputs[0]?.[1] ?? (isPossible ? sure : cancel)).focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const values = Object.fromEntries(inputs.map(([key, field]) => [key, field.value]));
      const isSure = dialog.returnValue === "sure";
      dialog.remove();
      before?.focus();
      resolve(isSure ? values : null);
    });
  });
}

function input({ type = "text", value = "", options = [], required = false, rows = 0, min = null, max = null }) {
  if (type === "select") {
    return el("select", {}, ...options.map((one) => el("option", { value: one.value, selected: String(one.value) === String(value) }, one.label)));
  }
  if (rows) {
    const area = el("textarea", { rows, required, spellcheck: "false" });
    area.value = value;
    return area;
  }
  const field = el("input", { type, required, min, max, autocomplete: "off" });
  field.value = value;
  return field;
}
