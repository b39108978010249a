// SPDX-License-Identifier: Apache-2.0
// A question that has to be answered before anything is done.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

// The number of the answer that is chosen, or null for none of them, which is called *no*.
export function choose(question, answers, no) {
  const dialog = byId("confirm");
  dialog.querySelector("p").textContent = question;
  const buttons = [...answers, no].map((text, number) => el("button", { value: number < answers.length ? number : "" }, text));
  dialog.querySelector("div").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  buttons.at(-1).focus();
  return new Promise((resolve) => {
    const close = () => resolve(dialog.returnValue === "" ? null : Number(dialog.returnValue));
    dialog.addEventListener("close", close, { once: true });
  });
}
