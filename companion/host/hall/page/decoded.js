// SPDX-License-Identifier: Apache-2.0
// The text in files of other programs, as companion/model/reading.py decodes it: line by line, where it is not Unicode.

// Encodings that programs used before Unicode, by language.
const BEFORE_UNICODE = { hr: "windows-1250", ja: "shift_jis" };
const WIDE = { "255,254": "utf-16le", "254,255": "utf-16be" };
const LINE_END = 10;
const utf8 = new TextDecoder("utf-8", { fatal: true });

// The lines of *content*, each with its end.
function* linesIn(content) {
  for (let start = 0; start < content.length;) {
    const end = content.indexOf(LINE_END, start) + 1 || content.length;
    yield content.subarray(start, end);
    start = end;
  }
}

function decodedOr(content, otherwise) {
  try {
    return utf8.decode(content);
  } catch {
    return otherwise();
  }
}

// Most files are Unicode as a whole, and are decoded at once.
const byLine = (content, older) => decodedOr(content, () =>
  Array.from(linesIn(content), (line) => decodedOr(line, () => older.decode(line))).join(""));

// A function that decodes the parts of a file in turn; what it returns ends with a whole line, but for the last part.
export function decoder(language) {
  const older = new TextDecoder(BEFORE_UNICODE[language] ?? "windows-1252");
  let wide = null;
  let isFirst = true;
  let rest = new Uint8Array();
  return (part, isLast = false) => {
    const encoding = isFirst && WIDE[part.subarray(0, 2).join()];
    if (encoding) wide = new TextDecoder(encoding);
    isFirst = false;
    if (wide) return wide.decode(part, { stream: !isLast });
    const content = new Uint8Array(rest.length + part.length);
    content.set(rest);
    content.set(part, rest.length);
    const end = isLast ? content.length : content.lastIndexOf(LINE_END) + 1;
    rest = content.subarray(end);
    return byLine(content.subarray(0, end), older);
  };
}
