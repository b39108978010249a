// SPDX-License-Identifier: Apache-2.0
// The time on a clock some milliseconds after its page state, by the referee's rules.

export function now(clock, passed) {
  if (passed <= 0 || !(clock.is_running || clock.is_growing)) return clock;
  const used = Math.max(0, passed - clock.delay_ms);
  let { left_ms: left, spans, is_in_span: isInSpan } = clock;
  if (clock.is_growing) return { ...clock, left_ms: left + used };
  left -= used;
  while (left <= 0 && spans > 0) {
    left += clock.span_ms;
    spans -= isInSpan;
    isInSpan = true;
    if (spans === 0) left = 0;
  }
  return { ...clock, left_ms: Math.max(0, left), spans };
}

function hoursMinutesSeconds(seconds) {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value) => String(value).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// A duration in whole seconds: `0:05`.
export const duration = (ms) => hoursMinutesSeconds(Math.round(ms / 1000));

// `1:02:03`, `4:59`, and tenths when they matter: `0:09.3`; a dot for each period of byo-yomi; a
// flag at zero.
export function face({ left_ms: left, spans }) {
  if (left === 0 && spans === 0) return "⚑ 0:00";
  const tenths = Math.ceil(left / 100);
  const seconds = left < 10_000 ? Math.floor(tenths / 10) : Math.ceil(left / 1000);
  return `${hoursMinutesSeconds(seconds)}${left < 10_000 ? `.${tenths % 10}` : ""}${spans ? ` ${"•".repeat(spans)}` : ""}`;
}
