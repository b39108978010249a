// SPDX-License-Identifier: Apache-2.0
// The signs of the grades of moves.

const SIGNS = { best: "★", only: "□", mistake: "?", blunder: "??" };

export const signOf = (grade) => SIGNS[grade] ?? "";
