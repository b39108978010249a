// SPDX-License-Identifier: Apache-2.0
// The sentence for a lost connection. It is kept, since an installed page may open without the program,
// which has all sentences.

import { onDevice } from "./storage.js";

const kept = onDevice("companion-offline");

export const keepOffline = (sentence) => kept.set(sentence);
export const offlineSentence = () => kept.get() ?? "…";
