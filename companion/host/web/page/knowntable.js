// SPDX-License-Identifier: Apache-2.0
// What the document knows of its table: the page state, and where the description is, which browsers keep.

const byId = (id) => document.getElementById(id);

// Null if the document knows nothing in *language*, where one was chosen, or if the description is gone.
export async function knownTable(language) {
  const picture = JSON.parse(byId("pictured")?.textContent ?? null);
  if (!picture || (language && language !== picture.view.language)) return null;
  try {
    const answer = await fetch(byId("described").href);
    const now = picture.view.clocks[0]?.at_ms ?? 0;
    return answer.ok ? { ...(await answer.json()), picture: { ...picture, now_ms: now } } : null;
  } catch {
    return null; // the connection is down, which the page will show
  }
}
