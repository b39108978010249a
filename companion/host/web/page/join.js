// SPDX-License-Identifier: Apache-2.0
// How a phone joins: the address of this page, as text and as a code for its camera.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

// An installed page opens without the program; browsers allow that over https and on this computer.
function install() {
  const isProgram = document.body.matches(".start, .at-home:not(.kept)");
  if (isProgram && window.isSecureContext) navigator.serviceWorker?.register("worker.js").catch(() => {});
}

export function attachJoin() {
  install();
  byId("open-join")?.addEventListener("click", async () => {
    await showJoin(byId("join-title"));
    byId("join").showModal();
  });
}

// How to join is shown after the element *before*: one code serves all dialogs.
export async function showJoin(before) {
  const answer = await fetch("join.json");
  const { addresses, has_authority: hasAuthority, camera } = answer.ok ? await answer.json() : { addresses: [] };
  byId("join-here").hidden = !addresses.length;
  byId("join-alone").hidden = addresses.length > 0;
  if (addresses.length) byId("join-code").src = "join.svg";
  const links = addresses.flatMap((address) => [el("a", { href: address }, address), el("br")]);
  byId("join-addresses").replaceChildren(...links);
  byId("join-trust").hidden = !hasAuthority;
  byId("join-plain").hidden = !addresses[0]?.startsWith("http:");
  byId("join-camera").hidden = !camera;
  before.after(byId("join-how"));
}
