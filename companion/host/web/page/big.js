// SPDX-License-Identifier: Apache-2.0
// The big screen: everything readable from two metres, full screen if the browser allows it.

export function attachBig(prefs) {
  async function fill(isBig) {
    try {
      if (isBig) await document.documentElement.requestFullscreen?.();
      else if (document.fullscreenElement) await document.exitFullscreen();
    } catch {
      // without a click, and on some phones, a page does not get full screen
    }
  }

  function show(isBig) {
    document.body.classList.toggle("big", isBig);
    const address = new URL(location.href);
    if (isBig) address.searchParams.set("big", "");
    else address.searchParams.delete("big");
    const wanted = address.href.replace(/=(?=&|$)/g, "");
    if (wanted !== location.href) history.replaceState(null, "", wanted); // which lays out the page
  }

  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) prefs.set("big", false);
  });
  prefs.onChange((name, isBig) => {
    if (name !== "big") return;
    show(isBig);
    fill(isBig);
  });
  show(prefs.get("big"));
}
