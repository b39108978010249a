// SPDX-License-Identifier: Apache-2.0
// One question at a time: what is to be done, what follows from it, a remark for the book.

import { el } from "../page/dom.js";

// Asks for what *fields* name; resolves to the values by their keys, or to null if nothing is to be done.
// A field is { key, label, type, value, options, required, min, max, rows }; *text* says what follows from it. *across* fields stand in a line.
export function ask(say, title, text, fields = [], across = 1) {
  const inputs = fields.map((field) => [field.key, input(field)]);
  const sure = el("button", { class: "act main", type: "submit", value: "sure" }, say("sure"));
  const dialog = el("dialog", { "aria-labelledby": "dialog-title" },
    el("form", { method: "dialog" },
      el("h2", { id: "dialog-title" }, title),
      text ? el("p", { class: "warning" }, text) : null,
      fields.length ? el("div", { class: "fields" }, ...fields.map((field, index) => el("label", {}, field.label, inputs[index][1]))) : null,
      el("p", { class: "buttons" }, sure, el("button", { class: "act", type: "button", onclick: () => dialog.close() }, say("cancel"))),
    ),
  );
  dialog.style.setProperty("--across", across);
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  (inputs[0]?.[1] ?? sure).focus();
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
