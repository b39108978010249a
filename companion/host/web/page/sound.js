// SPDX-License-Identifier: Apache-2.0
// Tunes and speech. Both come with the page state and are played once, if switched on. Browsers
// allow no sound before a click.

const SOON_S = 0.02;
const LOUDNESS = 0.12;
const EDGE_S = 0.008; // softens the ends of a note, which would click

export function makeSound(prefs) {
  let context = null;
  let hasClicked = false;
  let last = null;

  function wake() {
    hasClicked = true;
    if (prefs.get("sound")) context ??= new AudioContext();
    context?.resume();
  }
  ["pointerdown", "keydown"].forEach((event) => document.addEventListener(event, wake, { capture: true }));

  function play(notes) {
    if (!hasClicked || !prefs.get("sound")) return;
    context ??= new AudioContext();
    let at = context.currentTime + SOON_S;
    notes.forEach(([pitch, length]) => {
      const until = at + length / 1000;
      if (pitch) sing(pitch, at, until);
      at = until;
    });
  }

  function sing(pitch, from, until) {
    const voice = new OscillatorNode(context, { type: "triangle", frequency: pitch });
    const loudness = new GainNode(context, { gain: 0 });
    loudness.gain.setTargetAtTime(LOUDNESS, from, EDGE_S);
    loudness.gain.setTargetAtTime(0, until - 2 * EDGE_S, EDGE_S);
    voice.connect(loudness).connect(context.destination);
    voice.start(from);
    voice.stop(until + 4 * EDGE_S);
  }

  function speak(texts, language) {
    if (!hasClicked || !prefs.get("speech") || !window.speechSynthesis) return;
    speechSynthesis.cancel(); // new text is spoken at once
    texts.forEach((text) => {
      const said = new SpeechSynthesisUtterance(text);
      said.lang = language;
      speechSynthesis.speak(said);
    });
  }

  prefs.onChange((name, isOn) => {
    if (name === "speech" && !isOn) window.speechSynthesis?.cancel();
    if (name === "sound" && isOn && last) play(last.tune.notes);
  });

  // The first page state is no news.
  return function hear({ tune, view }) {
    if (last) {
      const known = new Set(last.view.spoken.map(({ key }) => key));
      const fresh = view.spoken.filter(({ key }) => !known.has(key));
      if (fresh.length) speak(fresh.map(({ text }) => text), view.language);
      if (tune.number !== last.tune.number) play(tune.notes);
    }
    last = { tune, view };
  };
}
