// SPDX-License-Identifier: Apache-2.0
// The big screen: everything readable from two metres, full screen if the browser allows it, and
// awake for as long as it is shown.

export function attachBig(prefs) {
  let lock = null;

  async function stayAwake() {
    if (!prefs.get("big") || document.visibilityState !== "visible" || !navigator.wakeLock) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (!prefs.get("big")) lock.release(); // switched off in the meantime
    } catch {
      lock = null; // low battery, or not supported: the screen may go dark
    }
  }

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
    history.replaceState(null, "", address.href.replace(/=(?=&|$)/g, ""));
    if (isBig) stayAwake();
    else lock?.release();
  }

  document.addEventListener("visibilitychange", stayAwake);
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
