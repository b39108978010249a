// SPDX-License-Identifier: Apache-2.0
// The panel's palette as styles: a lit cell has the class `lamp-N` and blinks as the LED does.

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);
let shown = "";

const colour = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

// How strongly a colour shows: a dim LED is a pale glow, not a dark stain.
const strength = (rgb) => (Math.max(...rgb) / 255) ** 0.5;

const brightest = (rgb) => {
  const most = Math.max(...rgb, 1);
  return rgb.map((part) => Math.round((part * 255) / most));
};

const look = (rgb) => `color: ${colour(brightest(rgb))}; opacity: ${strength(rgb).toFixed(2)};`;

export function showLamps(palette) {
  const text = JSON.stringify(palette);
  if (text === shown) return;
  shown = text;
  const rules = palette.map(([r, g, b, r2, g2, b2, period, phase], index) => {
    const steady = `.lamp-${index} { ${look([r, g, b])} }`;
    if (!period) return steady;
    return `@keyframes lamp-${index} { 0%, 50% { ${look([r, g, b])} } 50.01%, 100% { ${look([r2, g2, b2])} } }
      .lamp-${index} { animation: lamp-${index} ${period}ms steps(1) infinite; animation-delay: ${-phase}ms; }`;
  });
  sheet.replaceSync(rules.join("\n"));
}
