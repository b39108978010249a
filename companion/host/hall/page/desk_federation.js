// SPDX-License-Identifier: Apache-2.0
// What a federation's report says of an event besides players and results: one dialog, with what is missing.

import { ask } from "./dialog.js";

// Fields of one line each; dates are written as 2026/11/23.
const LINES = ["city", "federation", "starts", "ends", "arbiter", "deputies", "time_control", "dates"];
const LISTS = ["deputies", "dates"];

export function makeFederation({ say, read, act, write }) {
  const look = (of, done) => read(`api/desk/tournaments/${of.key}/event`, done);
  const lacks = ({ missing }) => (missing.length ? say("federation_missing", { missing: missing.join(" · ") }) : "");

  async function open(of) {
    const known = await look(of);
    if (!known) return;
    const missing = lacks(known) || say("federation_complete");
    const value = (key) => [known.event[key]].flat().join("; ");
    const fields = LINES.map((key) => ({ key, label: say(`event_${key}`), value: value(key) }));
    const text = `${missing} ${say("federation_hint")}`;
    const given = await ask(say, `${of.name}: ${say("federation")}`, text, fields);
    if (!given) return;
    const entered = (key) => LISTS.includes(key) ? listed(given[key]) : given[key].trim();
    const event = Object.fromEntries(LINES.map((key) => [key, entered(key)]));
    await write({ is: "Described", key: of.key, event });
  }

  // Says at the desk what the report of *of* still lacks.
  const check = (of) => look(of, lacks);

  return { check, button: (of) => act(of.key, "federation", () => open(of), of.name) };
}

const listed = (text) => text.split(";").map((each) => each.trim()).filter(Boolean);
