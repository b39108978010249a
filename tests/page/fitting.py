# SPDX-License-Identifier: Apache-2.0
"""Finds words without room on a page, in every size of window."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.page.looks import SIZES
from tests.page.targets import LEAST, SMALL

UNFIT: Final = """() => {
  const root = document.querySelector("dialog[open]") ?? document.body;
  const found = [];
  const name = (each) => `${each.tagName.toLowerCase()}${each.id ? `#${each.id}` : ""} "${each.textContent.trim().slice(0, 40)}"`;
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page has ${wide} px in ${innerWidth}`);

  const clips = (each) => getComputedStyle(each).overflowX !== "visible";
  const scrolls = (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
  const isMeant = (each) => each.closest("[title], #link, .unseen, svg, [inert], [aria-hidden=true]") || parseInt(getComputedStyle(each).textIndent) > 99;
  const isSeen = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && each.clientWidth !== 1;

  // The part of *line* that no ancestor of *each* hides.
  function shown(line, each) {
    let { left, top, right, bottom } = line;
    for (let above = each; above && above !== document.body; above = above.parentElement) {
      if (!clips(above)) continue;
      const frame = above.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, frame.left), Math.max(top, frame.top), Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
    }
    return { left, top, right, bottom };
  }

  // Whether it is laid over what scrolls below it.
  function isLaid(each) {
    const isOver = each.closest(".badge") || ["sticky", "fixed"].includes(getComputedStyle(each).position);
    return isOver || (each.parentElement && each.parentElement !== document.body && isLaid(each.parentElement));
  }

  const lines = [];
  for (const each of root.querySelectorAll("*")) {
    const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!texts.length || ["OPTION", "SCRIPT", "NOSCRIPT", "STYLE", "TEXTAREA"].includes(each.tagName) || !isSeen(each) || isMeant(each)) continue;
    let box = each.closest("button, a, li, td, th, label, p, h1, h2, h3, summary, legend, dialog, section, div, body");
    while (getComputedStyle(box).display === "contents") box = box.parentElement;
    const [isHidden, isOver] = [clips(each) || clips(box), isLaid(each)];
    if ([each, box].some((one) => clips(one) && !scrolls(one) && one.scrollWidth > one.clientWidth + 1)) found.push(`cut: ${name(each)}`);
    const { left, right } = box.getBoundingClientRect();
    for (const node of texts) {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        if (!isHidden && (line.right > right + 1.5 || line.left < left - 1.5)) found.push(`wider than its place: ${name(each)}`);
        const part = shown(line, each);
        if (!isOver && part.right > part.left && part.bottom > part.top) lines.push({ each, ...part });
      }
    }
  }
  lines.forEach((one, index) => lines.slice(index + 1).forEach((other) => {
    const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const along = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    const isWithin = one.each.contains(other.each) || other.each.contains(one.each);
    if (across > 2 && along > 5 && !isWithin) found.push(`overlap: ${name(one.each)} and ${name(other.each)}`);
  }));
  return [...new Set(found)];
}"""
"""What is wider than its place, cut, or on top of another text."""


def unfit(page: Page) -> list[str]:
    """What does not fit on *page*, in each size of window."""
    found: list[str] = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{size}: {each}" for each in page.evaluate(UNFIT)]
        found += [f"{size}: small: {each}" for each in page.evaluate(SMALL, LEAST[size])]
    page.set_viewport_size({"width": 1440, "height": 900})
    return found
