# SPDX-License-Identifier: Apache-2.0
"""The scripts of the page read only what the schema of its state has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

import companion.host.web
from tests.page.conftest import Start
from tests.page.state_schema import FILE, faults
from tests.page.test_page import carry, prompt
from tests.page_reader import PageReader

SCRIPTS = Path(companion.host.web.__file__).with_name("page")
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))
KNOWN = {name: set(each["properties"]) for name, each in SCHEMA["$defs"].items()}
ADDED = {"analysis", "beside", "canTake", "caption", "known", "of"}
"""What `main.js` and the review add to a state before the page is drawn."""

STRICT = """(schema) => {
  const unknown = (window.unknownReads = new Set());
  const made = new WeakMap();
  const kindOf = (each) => (each?.$ref ? schema.$defs[each.$ref.split("/").pop()] : each);
  const fits = (each, value) => kindOf(each)?.type === (Array.isArray(value) ? "array" : "object");
  const strict = (value, kind, at) => {
    if (value === null || typeof value !== "object") return value;
    const own = kindOf(kind?.anyOf ? kind.anyOf.find((each) => fits(each, value)) : kind);
    if (!own) return value;
    if (!made.has(value)) made.set(value, new Proxy(value, {
      get(target, key) {
        const found = Reflect.get(target, key);
        if (typeof key === "symbol" || key in Object.prototype || key === "toJSON") return found;
        if (Array.isArray(target)) return /^\\d+$/.test(key) ? strict(found, own.items, `${at}[]`) : found;
        if (!own.properties) return found;
        if (!(key in own.properties)) unknown.add(`${at}.${key}`);
        return strict(found, own.properties[key], `${at}.${key}`);
      },
    }));
    return made.get(value);
  };
  const parse = JSON.parse;
  JSON.parse = (...given) => {
    const value = parse(...given);
    for (const kind of ["all", "changed"]) if (value?.[kind]) value[kind] = strict(value[kind], schema, "state");
    return value;
  };
}"""
"""Notes which names the scripts read that the state of a table does not have."""


def test_what_scripts_read_of_state_and_view_exists() -> None:
    read = {"view": set[str](), "picture": set[str]()}
    for script in SCRIPTS.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        for name, found in read.items():
            found |= set(re.findall(rf"\b{name}\??\.(\w+)", text))
            for names in re.findall(rf"\{{([^{{}}]*)\}} = {name};", text):
                found |= {each.split(":")[0].split("=")[0].strip() for each in names.split(",")}
    assert len(read["view"]) > 25
    assert len(read["picture"]) > 8
    assert read["view"] - KNOWN["ViewState"] == set()
    elements = {"append", "replaceChildren", "setAttribute"}  # of drawings with that name
    assert read["picture"] - KNOWN["SentState"] - ADDED - elements == set()


@pytest.mark.browser
def test_a_real_page_reads_only_what_is_sent_and_what_is_sent_is_valid(
    browser: Browser, start: Start
) -> None:
    sent: list[dict[str, Any]] = []
    page = browser.new_page()
    page.route_web_socket(re.compile("/ws"), lambda line: pass_whole_parts(line, sent))
    page.add_init_script(f"({STRICT})({json.dumps(SCHEMA)})")
    page.goto(start(game="close-quarters").address)
    play(page)
    assert len(sent) > 5
    assert [fault for each in sent for fault in faults(each)] == []
    assert any(each["virtual"]["hand"] for each in sent)
    assert set(page.evaluate("[...window.unknownReads]")) == {"state.table"}  # the description beside it
    page.close()


def pass_whole_parts(line: WebSocketRoute, sent: list[dict[str, Any]]) -> None:
    """Pass the messages of *line* on, with whole parts instead of edits; collect the states."""
    reader, server = PageReader(), line.connect_to_server()

    def pass_on(text: str | bytes) -> None:
        told = reader.take(text)
        if told is reader.state:
            sent.append({name: part for name, part in told.items() if name != "table"})
            message = json.loads(text)
            whole = {name: told[name] for name in message.pop("patched", {})}
            message["changed"] = message.get("changed", {}) | whole
            text = json.dumps(message)
        line.send(text)

    server.on_message(pass_on)


def play(page: Page) -> None:
    """Make a legal move and an illegal one at a virtual table."""
    expect(prompt(page)).to_have_text("The Sword moves.")
    carry(page, "a1-b2")
    expect(page.locator("#moves li")).to_have_count(1)
    carry(page, "d8-c6")
    expect(page.locator("body")).to_have_class(re.compile("wrong"))
