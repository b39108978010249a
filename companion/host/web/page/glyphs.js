// SPDX-License-Identifier: Apache-2.0
// Shapes of pieces, centred on (0, 0). The object is JSON: exported images use it, too.
//
// glyphs: path data by kind, with a radius of 40.
// tanks: from above, facing up: half width and length of the hull, length and half width of the gun,
//   radius of the turret, and the strength as text (mark) or a symbol as path data (badge).
// pyramids: width of an unowned pyramid by kind, from above.
export default {
  "glyphs": {
    "sword": "M0-36 5-27V9H17V16H4.5V26A6 6 0 1 1-4.5 26V16H-17V9H-5V-27Z",
    "spear": "M0-39C9-28 9-17 3-12V-9H9V-4H3V35H-3V-4H-9V-9H-3V-12C-9-17-9-28 0-39Z",
    "mace": "M-3.5 36V-1L-9-3-13 1-15-6-21-8-17-14-20-20-13-21-11-28-5-25 0-31 5-25 11-28 13-21 20-20 17-14 21-8 15-6 13 1 9-3 3.5-1V36Z",
    "axe": "M-3 36V-6C-10-5-15-1-19 5-26-6-26-22-19-33-15-27-10-23-3-22V-33H3V-22C10-23 15-27 19-33 26-22 26-6 19 5 15-1 10-5 3-6V36Z",
    "king": "M-3-40H3V-34H9V-28H3V-21C15-26 27-18 24-5 22 3 16 8 14 14L16 27H-16L-14 14C-16 8-22 3-24-5-27-18-15-26-3-21V-28H-9V-34H-3ZM-23 31H23V38H-23Z",
    "queen": "M-28-22A4 4 0 1 1-23-19L-15-3-14-28A4 4 0 1 1-10-28L-5-6-2-32A4 4 0 1 1 2-32L5-6 10-28A4 4 0 1 1 14-28L15-3 23-19A4 4 0 1 1 28-22L18 27H-18ZM-23 31H23V38H-23Z",
    "rook": "M-22-34H-13V-27H-5V-34H5V-27H13V-34H22V-19L15-13V16L19 27H-19L-15 16V-13L-22-19ZM-23 31H23V38H-23Z",
    "bishop": "M0-40A5 5 0 0 1 3.5-31.5C15-23 21-11 15 0 13 5 9 8 8 13L12 27H-12L-8 13C-9 8-13 5-15 0-21-11-15-23-3.5-31.5A5 5 0 0 1 0-40ZM3-22-2-12 1-10 6-20ZM-23 31H23V38H-23Z",
    "knight": "M-9-38-3-31C15-30 23-15 21 27H-15C-16 12-3 6-2-5-7-2-11-1-14 3-17 8-25 6-26-1-26-6-19-13-16-19-15-24-13-27-10-29ZM-9-20A2.5 2.5 0 1 0-4-20 2.5 2.5 0 1 0-9-20ZM-23 31H23V38H-23Z",
    "pawn": "M0-28A11 11 0 0 1 7-8.5L12-5V0H8C8 12 12 18 16 27H-16C-12 18-8 12-8 0H-12V-5L-7-8.5A11 11 0 0 1 0-28ZM-23 31H23V38H-23Z",
    "giant": "M0-40A13 13 0 0 1 9-18C22-17 30-9 34 8L26 12 17-1V12L22 40H6L0 20-6 40H-22L-17 12V-1L-26 12-34 8C-30-9-22-17-9-18A13 13 0 0 1 0-40Z",
    "tank": "M-22-32H-14V32H-22ZM14-32H22V32H14ZM-11-26H-3V-48H3V-26H11V26H3V48H-3V26H-11ZM0-10A10 10 0 1 1 0 10 10 10 0 1 1 0-10ZM0-5A5 5 0 1 0 0 5 5 5 0 1 0 0-5Z"
  },
  "tanks": {
    "light-tank": { "wide": 25, "long": 29, "gun": 42, "bore": 4, "turret": 12, "mark": "I" },
    "medium-tank": { "wide": 29, "long": 33, "gun": 43, "bore": 5, "turret": 14, "mark": "II" },
    "heavy-tank": { "wide": 34, "long": 36, "gun": 44, "bore": 6.5, "turret": 16, "mark": "III" },
    "command-tank": { "wide": 25, "long": 29, "gun": 42, "bore": 4, "turret": 12, "badge": "M0 -8.5L2 -2.8L8.1 -2.6L3.2 1.1L5 6.9L0 3.4L-5 6.9L-3.2 1.1L-8.1 -2.6L-2 -2.8Z" },
    "tank-destroyer": { "wide": 29, "long": 33, "gun": 44, "bore": 7, "turret": 0, "mark": "IV" },
    "heavy-mortar": { "wide": 32, "long": 33, "gun": 38, "bore": 10, "turret": 15, "mark": "V" }
  },
  "pyramids": { "pawn": 34, "drone": 54, "queen": 76 }
};
