// SPDX-License-Identifier: Apache-2.0
// The clicks of the pieces, synthesised: a small wooden block that is struck rings in a few partials
// that are not harmonic and die away within a twentieth of a second, after the noise of the contact.

const PARTIALS = [[1, 1, 0.022], [2.76, 0.55, 0.012], [5.4, 0.3, 0.006]]; // pitch ratio, strength, decay in s
const CONTACT = [0.5, 0.0018]; // strength and decay of the noise
const LENGTH_S = 0.16;
const LAG_S = 0.05; // from the captured piece to the one that captures it

// Pitch, strength and time of each stroke.
const SOUNDS = {
  lift: [[760, 0.25, 0]],
  place: [[430, 0.9, 0]],
  take: [[300, 0.7, 0], [430, 0.9, LAG_S]],
};

// The samples of the sound *name* at *rate* a second, between -1 and 1.
export function samples(name, rate) {
  const found = new Float32Array(Math.ceil(LENGTH_S * rate));
  SOUNDS[name].forEach(([pitch, strength, from]) => strike(found, rate, pitch, strength, Math.round(from * rate)));
  const most = found.reduce((peak, value) => Math.max(peak, Math.abs(value)), 1);
  return found.map((value) => value / most);
}

function strike(found, rate, pitch, strength, from) {
  let noise = 1;
  for (let index = from; index < found.length; index += 1) {
    const at = (index - from) / rate;
    noise = (noise * 16807) % 2147483647; // the same noise each time
    let value = CONTACT[0] * (noise / 1073741823.5 - 1) * Math.exp(-at / CONTACT[1]);
    for (const [ratio, share, decay] of PARTIALS) {
      value += share * Math.sin(2 * Math.PI * pitch * ratio * at) * Math.exp(-at / decay);
    }
    found[index] += (strength * value) / 2;
  }
}

// Plays the clicks through *output* of *context*.
export function makeClicks(context, output) {
  const buffers = new Map();
  return function click(name) {
    if (!buffers.has(name)) {
      const made = samples(name, context.sampleRate);
      const buffer = new AudioBuffer({ length: made.length, sampleRate: context.sampleRate });
      buffer.copyToChannel(made, 0);
      buffers.set(name, buffer);
    }
    const source = new AudioBufferSourceNode(context, { buffer: buffers.get(name) });
    source.connect(output);
    source.start();
  };
}

// The clicks for what has changed on the board from one view to the next.
export function clicksFor(before, now) {
  if (now.game !== before.game || now.record.length < before.record.length) return [];
  const fresh = (all, known) => all.some((cell) => !known.includes(cell));
  const isTaken = now.record.length > before.record.length && now.pieces.length < before.pieces.length;
  if (isTaken) return ["take"];
  if (fresh(now.occupied, before.occupied)) return ["place"];
  return fresh(before.occupied, now.occupied) ? ["lift"] : [];
}
