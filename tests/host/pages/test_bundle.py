# SPDX-License-Identifier: Apache-2.0
"""Modules become blocks of one script; other forms are refused by file and line."""

from __future__ import annotations

import re

import pytest

from companion.host.pages.bundle import BundleError, bundled_script, bundled_styles

ENTRY = """import shapes from "./shapes.js";
import {
  one, two as other,
} from "../shared/numbers.js";

export async function show() {}
await show(shapes, one, other);
"""
TEXTS = {
    "page/main.js": ENTRY,
    "page/shapes.js": 'import { one } from "../shared/numbers.js";\nexport default {\n  one,\n};\n',
    "shared/numbers.js": "export const one = 1;\nexport function two() {}\nexport class Three {}\n",
    "page/unused.js": "nothing();\n",
}
BUNDLE = """const modules$ = {};
{ // shared/numbers.js
const one = 1;
function two() {}
class Three {}
modules$["shared/numbers.js"] = { one: one, two: two, Three: Three };
}
{ // page/shapes.js
const { one: one } = modules$["shared/numbers.js"];
const default$ = {
one,
};
modules$["page/shapes.js"] = { default: default$ };
}
{ // page/main.js
const { default: shapes } = modules$["page/shapes.js"];
const { one: one, two: other } = modules$["shared/numbers.js"];
async function show() {}
await show(shapes, one, other);
modules$["page/main.js"] = { show: show };
}
"""


def test_each_module_is_a_block_after_those_that_it_imports() -> None:
    assert bundled_script("page/main.js", TEXTS) == BUNDLE


def test_comments_and_indentation_are_left_out_and_texts_stay() -> None:
    script = """// of the file
const a = "; // no comment"; // one
  if (a) b(`//`); // "quoted": it may be a part of a text
/* of two
lines */
const c = "http://d";
"""
    assert bundled_script("page/a.js", {"page/a.js": script}) == (
        'const modules$ = {};\n{ // page/a.js\nconst a = "; // no comment";\n'
        'if (a) b(`//`); // "quoted": it may be a part of a text\nconst c = "http://d";\n'
        'modules$["page/a.js"] = {  };\n}\n'
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('import * as all from "./b.js";', "the bundle has no 'import * as all"),
        ('import "./b.js";', "the bundle has no 'import \"./b.js\";'"),
        ("import { b } from './b.js';", "the bundle has no"),
        ('import { b } from "b";', "the bundle has no"),
        ("export let b = 1;", "the bundle has no 'export let b = 1;'"),
        ("export { b };", "the bundle has no"),
        ('export * from "./b.js";', "the bundle has no"),
        ("export const { b } = all;", "the bundle has no"),
        ("export default b;", "the bundle has no"),
        ('const b = await import("./b.js");', "the bundle has no 'import('"),
        ("const b = import.meta.url;", "the bundle has no 'import.meta'"),
        ('import { c } from "./b.js";', "page/b.js does not export c"),
        ('import b from "./b.js";', "page/b.js does not export default"),
        ('import { b } from "./c.js";', "there is no page/c.js"),
    ],
)
def test_other_statements_are_refused_by_file_and_line(line: str, fault: str) -> None:
    texts = {"page/a.js": f"first();\n\n{line}\nlast();\n", "page/b.js": "export const b = 1;\n"}
    with pytest.raises(BundleError, match=f"^page/a.js:3: {re.escape(fault)}"):
        bundled_script("page/a.js", texts)


def test_modules_that_import_one_another_are_refused() -> None:
    texts = {
        "page/a.js": 'import { b } from "./b.js";\n',
        "page/b.js": 'import { c } from "./c.js";\nexport const b = 1;\n',
        "page/c.js": '\nimport { b } from "./b.js";\nexport const c = 1;\n',
    }
    fault = "page/c.js:2: modules import one another: page/b.js → page/c.js → page/b.js"
    with pytest.raises(BundleError, match=re.escape(fault)):
        bundled_script("page/a.js", texts)


def test_style_sheets_follow_one_another() -> None:
    own = 'a { b: url("c.svg"); }\n'
    assert bundled_styles({"page/a.css": own, "hall/b.css": "d { e: f; }\n"}) == (
        f"/* page/a.css */\n{own}/* hall/b.css */\nd {{ e: f; }}\n"
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('@import "c.css";', "@import is lost among other style sheets"),
        ('d { e: url("f.svg"); }', "url() only in the style sheets of page/"),
    ],
)
def test_styles_that_would_change_their_meaning_are_refused_by_file_and_line(line: str, fault: str) -> None:
    with pytest.raises(BundleError, match=f"^hall/b.css:2: {re.escape(fault)}"):
        bundled_styles({"page/a.css": "", "hall/b.css": f"a {{ }}\n{line}\n"})
