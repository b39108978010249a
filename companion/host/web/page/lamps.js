// SPDX-License-Identifier: Apache-2.0
// The panel's palette as styles: a lit cell has the class `lamp-N` and blinks as the LED does.

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);
let shown = "";
let blinking = [];
let timer = null;

const colour = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

// How strongly a colour shows: a dim LED is a pale glow, not a dark stain.
const strength = (rgb) => (Math.max(...rgb) / 255) ** 0.5;

const brightest = (rgb) => {
  const most = Math.max(...rgb, 1);
  return rgb.map((part) => Math.round((part * 255) / most));
};

const look = (rgb) => `color: ${colour(brightest(rgb))}; opacity: ${strength(rgb).toFixed(2)};`;

// Shows *palette*, and lets those of its looks blink that *cells* have.
export function showLamps(palette, cells) {
  const text = JSON.stringify(palette);
  if (text !== shown) {
    shown = text;
    sheet.replaceSync(palette.map(([r, g, b], index) => `.lamp-${index} { ${look([r, g, b])} }`).join("\n"));
  }
  const lit = new Set(cells);
  blinking = palette.flatMap(([r, g, b, r2, g2, b2, period, phase], index) => {
    if (!period || !lit.has(index)) return [];
    return [{ rule: sheet.cssRules[index], looks: [look([r, g, b]), look([r2, g2, b2])], period, phase, half: null }];
  });
  clearTimeout(timer);
  blink();
}

// A timer, since a CSS animation of colours computes a frame sixty times a second.
function blink() {
  const waits = blinking.map((lamp) => {
    const at = (performance.now() + lamp.phase) % lamp.period;
    const half = at < lamp.period / 2 ? 0 : 1;
    if (half !== lamp.half) lamp.rule.style.cssText = lamp.looks[half];
    lamp.half = half;
    return ((half + 1) * lamp.period) / 2 - at;
  });
  if (waits.length) timer = setTimeout(blink, Math.ceil(Math.min(...waits)));
}
