// SPDX-License-Identifier: Apache-2.0
// A question that has to be answered before anything is done.

const byId = (id) => document.getElementById(id);

// The number of the answer that is chosen, or null for none of them, which is called *no*.
export function choose(question, answers, no) {
  const dialog = byId("confirm");
  dialog.querySelector("p").textContent = question;
  const buttons = [...answers, no].map((text, number) => {
    const made = document.createElement("button");
    made.textContent = text;
    made.value = number < answers.length ? number : "";
    return made;
  });
  dialog.querySelector("div").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  buttons.at(-1).focus();
  return new Promise((resolve) => {
    const close = () => resolve(dialog.returnValue === "" ? null : Number(dialog.returnValue));
    dialog.addEventListener("close", close, { once: true });
  });
}
