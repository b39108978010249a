// SPDX-License-Identifier: Apache-2.0
// A question that has to be answered with yes or no before anything is done.

const byId = (id) => document.getElementById(id);

export function confirm(question, { yes, no }) {
  const dialog = byId("confirm");
  dialog.querySelector("p").textContent = question;
  const [agree, decline] = dialog.querySelectorAll("button");
  [agree.textContent, decline.textContent] = [yes, no];
  dialog.returnValue = "no";
  dialog.showModal();
  decline.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
