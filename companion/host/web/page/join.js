// SPDX-License-Identifier: Apache-2.0
// How a phone joins: the address of this page, as text and as a code for its camera.

import { el } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function attachJoin() {
  byId("open-join")?.addEventListener("click", open);

  async function open() {
    const answer = await fetch("join.json");
    const { addresses, has_authority: hasAuthority } = answer.ok ? await answer.json() : { addresses: [] };
    byId("join-here").hidden = !addresses.length;
    byId("join-alone").hidden = addresses.length > 0;
    if (addresses.length) byId("join-code").src = "join.svg";
    const links = addresses.flatMap((address) => [el("a", { href: address }, address), el("br")]);
    byId("join-addresses").replaceChildren(...links);
    byId("join-trust").hidden = !hasAuthority;
    byId("join-plain").hidden = !addresses[0]?.startsWith("http:");
    byId("join").showModal();
  }
}
