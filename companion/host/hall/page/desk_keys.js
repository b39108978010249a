// SPDX-License-Identifier: Apache-2.0
// Keys for what an arbiter does often. Digits go to the search; letters can be switched off.

import { el } from "../page/dom.js";
import { onDevice } from "../page/storage.js";

const off = onDevice("desk-keys-off");

// *doing* has a function for each key of the desk, *atBoard* for each key of the open board.
export function makeKeys({ say, search, doing, atBoard }) {
  const isOn = () => off.get() !== "yes";

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (!document.body.classList.contains("desk") || document.querySelector("dialog[open]")) return;
    if (event.target.matches("input, textarea, select")) return;
    if (/^[\d/]$/.test(event.key)) {
      if (event.key === "/") event.preventDefault();
      search.focus();
      return;
    }
    const act = atBoard()?.[event.key] ?? doing[event.key];
    if (!act || (event.key !== "Escape" && !isOn())) return;
    event.preventDefault();
    act();
  }
  document.addEventListener("keydown", pressed);

  function list() {
    const lines = [
      ["1 2 =", say("key_search")], ["12 +", say("key_first")], ["12 -", say("key_second")], ["/", say("find")],
      ["g", say("key_go")], ["c", say("confirm_all")], ["u", say("undo")], ["s", say("start_all")],
      ["+ - =", say("key_result")], ["p", say("key_pause")], ["t", say("adjust_time_title")], ["Esc", say("close")],
    ];
    return el("dl", { id: "keys-list" },
      ...lines.flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]));
  }

  function show() {
    const letters = el("input", { type: "checkbox", checked: isOn() });
    letters.addEventListener("change", () => off.set(letters.checked ? "no" : "yes"));
    const dialog = el("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
      el("h2", { id: "keys-title" }, say("keys")), list(),
      el("label", { class: "switch" }, letters, el("span", {}, say("keys_on"))),
      el("form", { method: "dialog" }, el("button", { class: "act main" }, say("close"))));
    document.body.append(dialog);
    dialog.showModal();
  }

  return { show };
}
