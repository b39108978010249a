// SPDX-License-Identifier: Apache-2.0
// Who wins with best play, for a user who wants to see it: in a game, and in a review.

// *want* tells the program of that wish.
export function makeResults(prefs, want) {
  const isOn = () => prefs.get("result");

  return {
    ask: () => isOn() && want(),
    // The result of the position on the table; "" where it is to be kept secret.
    of: ({ analysis, is_secret: isSecret }) => (isSecret && !isOn() ? "" : analysis),
    // The results of all positions of the game under review; none if they are not known.
    async all() {
      if (!isOn()) return [];
      try {
        const answer = await fetch(`results.json?language=${document.documentElement.lang}`);
        return answer.ok ? await answer.json() : [];
      } catch {
        return []; // the connection is down, which the page shows already
      }
    },
  };
}
