// SPDX-License-Identifier: Apache-2.0
// What can be done at a virtual table with the piece in the hand, as buttons; with an empty hand, putting all right.

export function makeTray(root, table, send) {
  const { labels } = table;
  let shown = "";

  function button(text, kind, fields, label) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", () => send(kind, fields));
    return made;
  }

  const canTurn = (hand) => hand.shape.length > 1 || hand.facing !== null;

  function held(hand) {
    const parts = [button(labels["put-back"], "PutBack"), button(labels["put-away"], "PutAway")];
    if (canTurn(hand)) {
      parts.push(button(`↻ ${labels.rotate}`, "Turn"), button("↺", "Turn", { back: true }, `${labels.rotate} ↺`));
    }
    if (hand.other_face) {
      const flip = button(`⇄ ${hand.other_face}`, "Flip");
      flip.className = "face";
      parts.push(flip);
    }
    return parts;
  }

  function draw({ wood, view }) {
    root.hidden = !wood;
    if (!wood) return;
    const { hand } = wood;
    const key = JSON.stringify([hand && canTurn(hand), hand?.other_face, !hand && view.guides.length > 0]);
    if (key === shown) return;
    shown = key;
    root.replaceChildren(...(hand ? held(hand) : view.guides.length ? [button(labels["set-right"], "SetRight")] : []));
  }

  return { draw };
}
