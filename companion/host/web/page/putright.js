// SPDX-License-Identifier: Apache-2.0
// Corrects the record and sets up a position: a text that stays open until the table has accepted
// it.

const byId = (id) => document.getElementById(id);
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

  return {
    table(table) {
      labels = table.labels;
    },
    isOpen: () => dialog.open,
    open(name) {
      const { record, position } = shown.view;
      kind = name;
      isSent = false;
      recorded = record.map(({ move }) => move);
      const isRecord = name === "correct-record";
      byId("put-right-title").textContent = labels[name];
      byId("put-right-done").textContent = labels[name];
      byId("put-right-hint").textContent = labels[isRecord ? "correct-hint" : "set-up-hint"];
      text.value = isRecord ? recorded.map((move) => move || NO_MOVE).join(" ") : position;
      fault.textContent = "";
      dialog.showModal();
      text.focus();
    },
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
