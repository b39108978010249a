// SPDX-License-Identifier: Apache-2.0
// Keeps the screen on while it is wanted. Browsers allow that over https and on this computer only.

export function makeAwake() {
  let isWanted = false;
  let lock = null;

  async function follow() {
    if (!isWanted) {
      lock?.release();
      lock = null;
      return;
    }
    if (lock || document.visibilityState !== "visible" || !navigator.wakeLock) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => (lock = null)); // the page was hidden
      if (!isWanted) follow(); // in the meantime
    } catch {
      lock = null; // low battery, or not supported: the screen may go dark
    }
  }

  document.addEventListener("visibilitychange", follow);

  return function want(now) {
    if (now === isWanted) return;
    isWanted = now;
    follow();
  };
}
