// SPDX-License-Identifier: Apache-2.0
// A question dialog that has to be answered before anything is done.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

// Resolves to the number of the chosen answer, or null for *no*.
export function choose(question, answers, no) {
  const dialog = byId("confirm");
  dialog.querySelector("p").textContent = question;
  const buttons = [...answers, no].map((text, number) => el("button", { value: number < answers.length ? number : "" }, text));
  dialog.querySelector("div").replaceChildren(...buttons);
  dialog.returnValue = "";
  if (!dialog.open) dialog.showModal();
  buttons.at(-1).focus();
  return new Promise((resolve) => {
    const close = () => resolve(dialog.returnValue === "" ? null : Number(dialog.returnValue));
    dialog.addEventListener("close", close, { once: true });
  });
}
