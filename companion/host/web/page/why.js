// SPDX-License-Identifier: Apache-2.0
// "Why?": the reason of an illegal move, of a question, or of a retracted move, in one sentence.

import { fill } from "./words.js";

// *button* asks for the reason, which *place* shows; a retracted move is named there before.
export function makeWhy(table, button, place) {
  const { labels, language } = table;
  let about = ""; // what can be asked about
  button.textContent = labels.why;

  async function ask() {
    const asked = about;
    try {
      const answer = await fetch(`why.json?language=${language}`);
      const { sentence } = answer.ok ? await answer.json() : { sentence: "" };
      if (asked !== about || !sentence) return;
      place.textContent = sentence;
      button.hidden = true; // the room is for the answer
      place.scrollIntoView({ block: "nearest" });
    } catch {
      // the connection is down, which the page shows already
    }
  }
  button.onclick = ask;

  function draw({ view, retracted = "" }) {
    const { fault, question } = view;
    const now = (fault?.sentence ?? (question ? `question ${question.ply}` : retracted)) || "";
    if (now === about) return;
    about = now;
    button.hidden = !about;
    const isRetracted = about && about === retracted;
    place.textContent = isRetracted ? fill(labels["was-retracted"], { move: retracted }, language) : "";
  }

  return { draw };
}
