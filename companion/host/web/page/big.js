// SPDX-License-Identifier: Apache-2.0
// The big screen: everything large enough to be read from two metres, the whole screen if the browser gives it,
// and awake for as long as it is shown.

export function attachBig(prefs) {
  let lock = null;

  async function stayAwake() {
    if (!prefs.get("big") || document.visibilityState !== "visible" || !navigator.wakeLock) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (!prefs.get("big")) lock.release(); // somebody was faster than the browser
    } catch {
      lock = null; // a battery that runs low, or a browser that does not want to: the screen may go dark
    }
  }

  async function fill(isBig) {
    try {
      if (isBig) await document.documentElement.requestFullscreen?.();
      else if (document.fullscreenElement) await document.exitFullscreen();
    } catch {
      // without a click, and on some telephones, a page does not get the whole screen
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
