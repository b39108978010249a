// SPDX-License-Identifier: Apache-2.0
// The sounds of the pieces, tunes and speech. They come with the page state and are played once, if
// switched on. Browsers allow no sound before a touch.

import { clicksFor, makeClicks } from "./clicks.js";

const SOON_S = 0.02;
const LOUDNESS = 0.17; // of tunes, as a share of the pieces
const EDGE_S = 0.008; // softens the ends of a note, which would click

export function makeSound(prefs) {
  let context = null;
  let output = null;
  let click = null;
  let hasTouched = false;
  let last = null;

  const isOn = () => hasTouched && prefs.get("sound");

  function wake() {
    hasTouched = true;
    if (isOn()) open();
    context?.resume();
  }
  ["pointerdown", "keydown"].forEach((event) => document.addEventListener(event, wake, { capture: true }));

  function open() {
    if (context) return;
    context = new AudioContext();
    output = new GainNode(context);
    output.connect(context.destination);
    click = makeClicks(context, output);
    setVolume();
  }

  // Loudness grows with the square of the slider's position.
  function setVolume() {
    if (output) output.gain.value = (prefs.get("volume") / 100) ** 2;
  }

  function play(notes) {
    if (!isOn()) return;
    open();
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
    voice.connect(loudness).connect(output);
    voice.start(from);
    voice.stop(until + 4 * EDGE_S);
  }

  function clickAll(names) {
    if (!isOn() || !names.length) return;
    open();
    names.forEach(click);
  }

  function speak(texts, language) {
    if (!hasTouched || !prefs.get("speech") || !window.speechSynthesis) return;
    speechSynthesis.cancel(); // new text is spoken at once
    texts.forEach((text) => {
      const said = new SpeechSynthesisUtterance(text);
      said.lang = language;
      speechSynthesis.speak(said);
    });
  }

  prefs.onChange((name, value) => {
    if (name === "speech" && !value) window.speechSynthesis?.cancel();
    if (name === "volume") setVolume();
    if (name === "volume" || (name === "sound" && value)) clickAll(["place"]);
  });

  // The first page state is no news.
  return function hear({ tune, view }) {
    if (last) {
      const known = new Set(last.view.spoken.map(({ key }) => key));
      const fresh = view.spoken.filter(({ key }) => !known.has(key));
      if (fresh.length) speak(fresh.map(({ text }) => text), view.language);
      if (tune.number !== last.tune.number) play(tune.notes);
      clickAll(clicksFor(last.view, view));
    }
    last = { tune, view };
  };
}
