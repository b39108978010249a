// SPDX-License-Identifier: Apache-2.0
// Keeps the pages of an installed Companion, so that they open without the program and say that they
// wait for it. What the program answers always comes first.

const KEPT = "companion";
const SHELL = /^\/(start)?$|^\/(page|boards)\//;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method === "GET" && origin === self.location.origin && SHELL.test(pathname)) {
    event.respondWith(freshOrKept(request));
  }
});

async function freshOrKept(request) {
  const kept = await caches.open(KEPT);
  try {
    const fresh = await fetch(request);
    if (fresh.ok && !fresh.redirected) await kept.put(request, fresh.clone());
    return fresh;
  } catch (fault) {
    const found = (await kept.match(request)) ?? (request.mode === "navigate" ? await kept.match("start") : undefined);
    if (!found) throw fault;
    return found;
  }
}
