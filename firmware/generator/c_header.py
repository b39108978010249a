# SPDX-License-Identifier: Apache-2.0
"""The C end of the board link: numbers as macros, heads as structs.

Each struct has put and get functions.
"""

from __future__ import annotations

import re
import textwrap

from firmware.generator.schema import NOTICES_FROM, REPLY_BIT, WARNING, Layout, Schema, number_text

C_TYPE = {"u8": "uint8_t {}", "u16": "uint16_t {}", "u32": "uint32_t {}", "bytes8": "uint8_t {}[8]"}

C_HELPERS = """
static inline uint8_t *link_put_u8(uint8_t *out, uint8_t v) { *out = v; return out + 1; }
static inline uint8_t *link_put_u16(uint8_t *out, uint16_t v) { return link_put_u8(link_put_u8(out, (uint8_t)v), (uint8_t)(v >> 8)); }
static inline uint8_t *link_put_u32(uint8_t *out, uint32_t v) { return link_put_u16(link_put_u16(out, (uint16_t)v), (uint16_t)(v >> 16)); }
static inline uint8_t *link_put_bytes8(uint8_t *out, const uint8_t *v) { memcpy(out, v, 8); return out + 8; }

static inline const uint8_t *link_get_u8(const uint8_t *in, uint8_t *v) { *v = *in; return in + 1; }
static inline const uint8_t *link_get_u16(const uint8_t *in, uint16_t *v) { *v = (uint16_t)(in[0] | (uint16_t)(in[1] << 8)); return in + 2; }
static inline const uint8_t *link_get_u32(const uint8_t *in, uint32_t *v)
{
    *v = (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
    return in + 4;
}
static inline const uint8_t *link_get_bytes8(const uint8_t *in, uint8_t *v) { memcpy(v, in, 8); return in + 8; }
"""


def c_header(schema: Schema) -> str:
    """Return the text of the C header: numbers as macros, heads as structs."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* {WARNING} */",
        "#ifndef LINK_PROTOCOL_GEN_H",
        "#define LINK_PROTOCOL_GEN_H",
        "",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "#include <string.h>",
        "",
        f"#define LINK_MAJOR {schema.major}",
        f"#define LINK_MINOR {schema.minor}",
        f"#define LINK_FINGERPRINT 0x{schema.fingerprint:08X}u",
        "",
        *(f"#define LINK_{name} {number_text(value)}u" for name, value in schema.limits.items()),
    ]
    for choice in schema.choices:
        stem = re.sub(r"(?<!^)(?=[A-Z])", "_", choice.name).upper()
        lines += ["", f"/* {choice.doc} */"]
        lines += [f"#define LINK_{stem}_{name} {value:#04x}" for name, value in choice.values.items()]
    lines += ["", "/* Message types: commands from 1, their replies with LINK_REPLY_BIT, notices. */"]
    lines += [f"#define LINK_REPLY_BIT {REPLY_BIT:#x}", f"#define LINK_NOTICES_FROM {NOTICES_FROM:#x}"]
    lines += [f"#define LINK_{m.c.upper()} {m.number:#04x}" for m in schema.messages]
    lines.append(C_HELPERS)
    for layout in (*schema.structs, *schema.messages):
        lines += _c_layout(layout)
    heads = [layout.c for layout in (*schema.structs, *schema.messages) if layout.fields]
    lines += [
        "/* X(name) for every struct with link_<name>_put and link_<name>_get. */",
        "#define LINK_EACH_HEAD(X) \\",
    ]
    lines += [" \\\n".join(textwrap.wrap(" ".join(f"X({head})" for head in heads), 100)), ""]
    lines.append("#endif")
    return "\n".join(lines) + "\n"


def _c_layout(layout: Layout) -> list[str]:
    name, fields = layout.c, layout.fields
    lines = [f"/* {layout.name}: {layout.doc} */", f"#define LINK_{name.upper()}_SIZE {layout.size}"]
    if fields:
        lines += ["typedef struct {"]
        for field in fields:
            note = f" /* {field.doc} */" if field.doc else ""
            lines.append(f"    {C_TYPE[field.wire].format(field.name)};{note}")
        lines += [f"}} link_{name}_t;", ""]
        lines += [f"static inline uint8_t *link_{name}_put(uint8_t *out, const link_{name}_t *m)", "{"]
        lines += [f"    out = link_put_{f.wire}(out, m->{f.name});" for f in fields]
        lines += ["    return out;", "}", ""]
        lines += [
            f"static inline bool link_{name}_get(const uint8_t *in, uint8_t length, link_{name}_t *m)",
            "{",
        ]
        lines += [f"    if (length < LINK_{name.upper()}_SIZE) {{", "        return false;", "    }"]
        for field in fields:
            target = f"m->{field.name}" if field.wire == "bytes8" else f"&m->{field.name}"
            last = field is fields[-1]
            lines.append(f"    {'(void)' if last else 'in = '}link_get_{field.wire}(in, {target});")
        lines += ["    return true;", "}"]
    return [*lines, ""]
