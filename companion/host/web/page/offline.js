// SPDX-License-Identifier: Apache-2.0
// The sentence for a lost connection. It is kept, since an installed page may open without the program,
// which has all sentences.

const PLACE = "companion-offline";

export function keepOffline(sentence) {
  try {
    localStorage.setItem(PLACE, sentence);
  } catch {
    // a browser without storage
  }
}

export function offlineSentence() {
  try {
    return localStorage.getItem(PLACE) ?? "…";
  } catch {
    return "…";
  }
}
