// SPDX-License-Identifier: Apache-2.0
// Corrects the record and sets up a position: a text that stays open until the table has accepted
// it.

const byId = (id) => document.getElementById(id);
const KINDS = ["correct-record", "set-up-position"]; // one dialog with two texts
const NO_MOVE = "\u2013"; // for an adopted position

export function makePutRight(send) {
  const dialog = byId("put-right");
  const text = byId("put-right-text");
  const fault = byId("put-right-fault");
  let labels = {};
  let kind = "";
  let shown = null; // the latest page state
  let recorded = [];
  let number = 0; // of the last reply
  let isSent = false;

  function correction() {
    const moves = text.value.split(/\s+/).filter(Boolean).map((move) => (move === NO_MOVE ? "" : move));
    let ply = 0;
    while (ply < moves.length && moves[ply] === recorded[ply]) ply += 1;
    return { ply, moves: moves.slice(ply) };
  }

  dialog.querySelector("form").addEventListener("submit", (event) => {
    if (event.submitter?.value !== "done") return;
    event.preventDefault();
    fault.textContent = "";
    isSent = true;
    if (kind === "correct-record") send("Correct", correction());
    else send("Restore", { position: text.value.trim() });
  });

  function open(name) {
    const { record, position } = shown.view;
    const isRecord = name === KINDS[0];
    kind = name;
    isSent = false;
    recorded = record.map(({ move }) => move);
    byId("put-right-title").textContent = labels[name];
    byId("put-right-done").textContent = labels[name];
    byId("put-right-other").textContent = `${labels[other()]} …`;
    byId("put-right-hint").textContent = labels[isRecord ? "correct-hint" : "set-up-hint"];
    text.value = isRecord ? recorded.map((move) => move || NO_MOVE).join(" ") : position;
    fault.textContent = "";
    if (!dialog.open) dialog.showModal();
    text.focus();
  }

  const other = () => KINDS[1 - KINDS.indexOf(kind)];
  byId("put-right-other").addEventListener("click", () => open(other()));

  return {
    table(table) {
      labels = table.labels;
    },
    isOpen: () => dialog.open,
    open,
    // The result comes with the next page state.
    draw(picture) {
      const { reply } = picture;
      shown = picture;
      if (isSent && reply.number !== number) {
        isSent = false;
        if (reply.text) fault.textContent = reply.text;
        else dialog.close();
      }
      number = reply.number;
    },
  };
}
