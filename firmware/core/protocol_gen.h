/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from firmware/protocol.toml by firmware/generate.py. Do not edit. */
#ifndef LINK_PROTOCOL_GEN_H
#define LINK_PROTOCOL_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LINK_MAJOR 1
#define LINK_MINOR 1
#define LINK_FINGERPRINT 0xA7228779u

#define LINK_MAX_PACKET_SMALL 64u
#define LINK_MAX_PACKET_LARGE 250u
#define LINK_MAX_CELLS 1023u
#define LINK_INPUT_BUTTON 0x4000u
#define LINK_INPUT_LEVER 0x4100u
#define LINK_INPUT_LEVEL 0x8000u
#define LINK_MAX_BUTTONS 15u
#define LINK_EDGES_PER_PACKET 16u
#define LINK_PALETTE_SIZE 16u
#define LINK_TONE_NOTES 8u
#define LINK_TEXT_BYTES 40u
#define LINK_HEARTBEAT_MS 1000u
#define LINK_HOST_SILENCE_MS 3000u
#define LINK_REPLY_TIMEOUT_MS 250u
#define LINK_COMMAND_TRIES 3u
#define LINK_BAUD 250000u
#define LINK_RESET_MAGIC 0xB007u

/* The first byte of every reply. Below 0x10 the command was carried out; from there on it was not, and the reply has no other fields. */
#define LINK_STATUS_OK 0x00
#define LINK_STATUS_POWER_LIMITED 0x01
#define LINK_STATUS_UNSUPPORTED 0x10
#define LINK_STATUS_BAD_LENGTH 0x11
#define LINK_STATUS_BAD_ARGUMENT 0x12
#define LINK_STATUS_TOO_OLD 0x13
#define LINK_STATUS_STORAGE_FAILED 0x14

/* The chip, or its replacement. */
#define LINK_BOARD_KIND_NATIVE 0x00
#define LINK_BOARD_KIND_ATMEGA328P 0x01
#define LINK_BOARD_KIND_ATMEGA2560 0x02
#define LINK_BOARD_KIND_ARDUINO 0x03
#define LINK_BOARD_KIND_RP2040 0x04
#define LINK_BOARD_KIND_VIRTUAL 0x05

/* The cause of the panel's start. */
#define LINK_RESET_CAUSE_UNKNOWN 0x00
#define LINK_RESET_CAUSE_POWER_ON 0x01
#define LINK_RESET_CAUSE_EXTERNAL 0x02
#define LINK_RESET_CAUSE_BROWN_OUT 0x03
#define LINK_RESET_CAUSE_WATCHDOG 0x04
#define LINK_RESET_CAUSE_COMMAND 0x05

/* Keys of CONFIG_GET and CONFIG_SET. */
#define LINK_CONFIG_KEY_DEBOUNCE_ON_MS 0x01
#define LINK_CONFIG_KEY_DEBOUNCE_OFF_MS 0x02
#define LINK_CONFIG_KEY_CURRENT_LIMIT_MA 0x03
#define LINK_CONFIG_KEY_BRIGHTNESS 0x04

/* Tags of the TLVs in HELLO and BOOT; readers skip unknown ones. */
#define LINK_TAG_PANEL 0x01
#define LINK_TAG_FAULTS 0x02

/* Severity of a LOG line. */
#define LINK_LOG_LEVEL_DEBUG 0x00
#define LINK_LOG_LEVEL_INFO 0x01
#define LINK_LOG_LEVEL_WARNING 0x02
#define LINK_LOG_LEVEL_ERROR 0x03

/* Features of a panel. */
#define LINK_CAPABILITY_LEDS 0x01
#define LINK_CAPABILITY_TEXT 0x02
#define LINK_CAPABILITY_TONE 0x04
#define LINK_CAPABILITY_CONFIG 0x08
#define LINK_CAPABILITY_LEVER 0x10

/* Problems in a heartbeat; the first two are present states, the others events since the last heartbeat. */
#define LINK_HEALTH_DARK 0x01
#define LINK_HEALTH_POWER_LIMITED 0x02
#define LINK_HEALTH_RX_LOST 0x04
#define LINK_HEALTH_BAD_PACKET 0x08
#define LINK_HEALTH_SCAN_LATE 0x10
#define LINK_HEALTH_EDGES_LOST 0x20
#define LINK_HEALTH_CHATTER 0x40
#define LINK_HEALTH_SELF_TEST 0x80

/* What the panel found wrong with itself since its start. */
#define LINK_FAULT_SETTINGS 0x01
#define LINK_FAULT_COLUMN_SHORTED 0x02
#define LINK_FAULT_ALL_CLOSED 0x04
#define LINK_FAULT_OTHER_PANEL 0x08
#define LINK_FAULT_WIRING 0x10
#define LINK_FAULT_SLOW_COLUMN 0x20

/* Modifiers of LED_SET and LED_FILL. */
#define LINK_LAMP_SHOW 0x01
#define LINK_LAMP_CLEAR 0x02

/* Message types: commands from 1, their replies with LINK_REPLY_BIT, notices. */
#define LINK_REPLY_BIT 0x80
#define LINK_NOTICES_FROM 0xe0
#define LINK_HELLO 0x01
#define LINK_HELLO_REPLY 0x81
#define LINK_PING 0x02
#define LINK_PING_REPLY 0x82
#define LINK_GET_SNAPSHOT 0x03
#define LINK_GET_SNAPSHOT_REPLY 0x83
#define LINK_EDGES_SINCE 0x04
#define LINK_EDGES_SINCE_REPLY 0x84
#define LINK_STATS 0x05
#define LINK_STATS_REPLY 0x85
#define LINK_CLEAR_STATS 0x06
#define LINK_CLEAR_STATS_REPLY 0x86
#define LINK_COLUMNS 0x07
#define LINK_COLUMNS_REPLY 0x87
#define LINK_EDGES_AGAIN 0x08
#define LINK_EDGES_AGAIN_REPLY 0x88
#define LINK_LED_PALETTE 0x10
#define LINK_LED_PALETTE_REPLY 0x90
#define LINK_LED_SET 0x11
#define LINK_LED_SET_REPLY 0x91
#define LINK_LED_FILL 0x12
#define LINK_LED_FILL_REPLY 0x92
#define LINK_LED_SHOW 0x13
#define LINK_LED_SHOW_REPLY 0x93
#define LINK_TEXT 0x20
#define LINK_TEXT_REPLY 0xa0
#define LINK_TONE 0x21
#define LINK_TONE_REPLY 0xa1
#define LINK_CONFIG_GET 0x30
#define LINK_CONFIG_GET_REPLY 0xb0
#define LINK_CONFIG_SET 0x31
#define LINK_CONFIG_SET_REPLY 0xb1
#define LINK_CONFIG_SAVE 0x32
#define LINK_CONFIG_SAVE_REPLY 0xb2
#define LINK_RESET 0x3f
#define LINK_RESET_REPLY 0xbf
#define LINK_BOOT 0xf0
#define LINK_HEARTBEAT 0xf1
#define LINK_EDGES 0xf2
#define LINK_LOG 0xff

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

/* Edge: One debounced change of one input. */
#define LINK_EDGE_SIZE 3
typedef struct {
    uint16_t input; /* cell, button or lever; bit 15 is the level after the edge */
    uint8_t dt_ms; /* ms from the packet's t_ms to the first raw change of this edge */
} link_edge_t;

static inline uint8_t *link_edge_put(uint8_t *out, const link_edge_t *m)
{
    out = link_put_u16(out, m->input);
    out = link_put_u8(out, m->dt_ms);
    return out;
}

static inline bool link_edge_get(const uint8_t *in, uint8_t length, link_edge_t *m)
{
    if (length < LINK_EDGE_SIZE) {
        return false;
    }
    in = link_get_u16(in, &m->input);
    (void)link_get_u8(in, &m->dt_ms);
    return true;
}

/* Colour: One palette entry: two alternating colours, or one when the period is 0. */
#define LINK_COLOUR_SIZE 8
typedef struct {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
    uint8_t red2;
    uint8_t green2;
    uint8_t blue2;
    uint8_t period; /* in units of 10 ms; the second half of each period shows the second colour; 0 = no blinking */
    uint8_t phase; /* phase lead of this entry in units of 10 ms */
} link_colour_t;

static inline uint8_t *link_colour_put(uint8_t *out, const link_colour_t *m)
{
    out = link_put_u8(out, m->red);
    out = link_put_u8(out, m->green);
    out = link_put_u8(out, m->blue);
    out = link_put_u8(out, m->red2);
    out = link_put_u8(out, m->green2);
    out = link_put_u8(out, m->blue2);
    out = link_put_u8(out, m->period);
    out = link_put_u8(out, m->phase);
    return out;
}

static inline bool link_colour_get(const uint8_t *in, uint8_t length, link_colour_t *m)
{
    if (length < LINK_COLOUR_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->red);
    in = link_get_u8(in, &m->green);
    in = link_get_u8(in, &m->blue);
    in = link_get_u8(in, &m->red2);
    in = link_get_u8(in, &m->green2);
    in = link_get_u8(in, &m->blue2);
    in = link_get_u8(in, &m->period);
    (void)link_get_u8(in, &m->phase);
    return true;
}

/* Run: Neighbouring LEDs of one colour. */
#define LINK_RUN_SIZE 4
typedef struct {
    uint16_t first; /* LED; LED n belongs to cell n, extra LEDs follow */
    uint8_t count; /* 1 .. 255 */
    uint8_t colour; /* palette index */
} link_run_t;

static inline uint8_t *link_run_put(uint8_t *out, const link_run_t *m)
{
    out = link_put_u16(out, m->first);
    out = link_put_u8(out, m->count);
    out = link_put_u8(out, m->colour);
    return out;
}

static inline bool link_run_get(const uint8_t *in, uint8_t length, link_run_t *m)
{
    if (length < LINK_RUN_SIZE) {
        return false;
    }
    in = link_get_u16(in, &m->first);
    in = link_get_u8(in, &m->count);
    (void)link_get_u8(in, &m->colour);
    return true;
}

/* Note: One note, or a rest when the pitch is 0. */
#define LINK_NOTE_SIZE 4
typedef struct {
    uint16_t pitch_hz; /* 0, or 40 .. 10000 */
    uint16_t length_ms;
} link_note_t;

static inline uint8_t *link_note_put(uint8_t *out, const link_note_t *m)
{
    out = link_put_u16(out, m->pitch_hz);
    out = link_put_u16(out, m->length_ms);
    return out;
}

static inline bool link_note_get(const uint8_t *in, uint8_t length, link_note_t *m)
{
    if (length < LINK_NOTE_SIZE) {
        return false;
    }
    in = link_get_u16(in, &m->pitch_hz);
    (void)link_get_u16(in, &m->length_ms);
    return true;
}

/* HELLO: Begins a conversation; always carried out again, and clears the cached reply. */
#define LINK_HELLO_SIZE 8
typedef struct {
    uint8_t major;
    uint8_t minor;
    uint16_t nonce; /* repeated in the reply, to distinguish it from old ones */
    uint32_t fingerprint; /* of this file, as the host knows it */
} link_hello_t;

static inline uint8_t *link_hello_put(uint8_t *out, const link_hello_t *m)
{
    out = link_put_u8(out, m->major);
    out = link_put_u8(out, m->minor);
    out = link_put_u16(out, m->nonce);
    out = link_put_u32(out, m->fingerprint);
    return out;
}

static inline bool link_hello_get(const uint8_t *in, uint8_t length, link_hello_t *m)
{
    if (length < LINK_HELLO_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->major);
    in = link_get_u8(in, &m->minor);
    in = link_get_u16(in, &m->nonce);
    (void)link_get_u32(in, &m->fingerprint);
    return true;
}

/* HELLO.reply: Identity and features of the panel. */
#define LINK_HELLO_REPLY_SIZE 41
typedef struct {
    uint8_t status;
    uint8_t major;
    uint8_t minor;
    uint16_t nonce; /* the host's; 0 in BOOT */
    uint32_t fingerprint; /* of this file, as the panel knows it */
    uint16_t session; /* differs after every start of the panel */
    uint8_t firmware_major;
    uint8_t firmware_minor;
    uint8_t firmware_patch;
    uint8_t board;
    uint8_t unique_id[8]; /* permanent id of this panel */
    uint8_t reset_cause;
    uint16_t cells;
    uint8_t rows; /* of a rectangular grid, else 0 */
    uint8_t cols;
    uint16_t leds;
    uint8_t palette; /* palette entries */
    uint8_t text_lines;
    uint8_t text_columns;
    uint8_t buttons;
    uint8_t max_packet; /* longest packet the panel takes, from type to CRC, before COBS */
    uint16_t scan_period_us;
    uint8_t debounce_on_ms;
    uint8_t debounce_off_ms;
    uint16_t capabilities;
} link_hello_reply_t;

static inline uint8_t *link_hello_reply_put(uint8_t *out, const link_hello_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u8(out, m->major);
    out = link_put_u8(out, m->minor);
    out = link_put_u16(out, m->nonce);
    out = link_put_u32(out, m->fingerprint);
    out = link_put_u16(out, m->session);
    out = link_put_u8(out, m->firmware_major);
    out = link_put_u8(out, m->firmware_minor);
    out = link_put_u8(out, m->firmware_patch);
    out = link_put_u8(out, m->board);
    out = link_put_bytes8(out, m->unique_id);
    out = link_put_u8(out, m->reset_cause);
    out = link_put_u16(out, m->cells);
    out = link_put_u8(out, m->rows);
    out = link_put_u8(out, m->cols);
    out = link_put_u16(out, m->leds);
    out = link_put_u8(out, m->palette);
    out = link_put_u8(out, m->text_lines);
    out = link_put_u8(out, m->text_columns);
    out = link_put_u8(out, m->buttons);
    out = link_put_u8(out, m->max_packet);
    out = link_put_u16(out, m->scan_period_us);
    out = link_put_u8(out, m->debounce_on_ms);
    out = link_put_u8(out, m->debounce_off_ms);
    out = link_put_u16(out, m->capabilities);
    return out;
}

static inline bool link_hello_reply_get(const uint8_t *in, uint8_t length, link_hello_reply_t *m)
{
    if (length < LINK_HELLO_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u8(in, &m->major);
    in = link_get_u8(in, &m->minor);
    in = link_get_u16(in, &m->nonce);
    in = link_get_u32(in, &m->fingerprint);
    in = link_get_u16(in, &m->session);
    in = link_get_u8(in, &m->firmware_major);
    in = link_get_u8(in, &m->firmware_minor);
    in = link_get_u8(in, &m->firmware_patch);
    in = link_get_u8(in, &m->board);
    in = link_get_bytes8(in, m->unique_id);
    in = link_get_u8(in, &m->reset_cause);
    in = link_get_u16(in, &m->cells);
    in = link_get_u8(in, &m->rows);
    in = link_get_u8(in, &m->cols);
    in = link_get_u16(in, &m->leds);
    in = link_get_u8(in, &m->palette);
    in = link_get_u8(in, &m->text_lines);
    in = link_get_u8(in, &m->text_columns);
    in = link_get_u8(in, &m->buttons);
    in = link_get_u8(in, &m->max_packet);
    in = link_get_u16(in, &m->scan_period_us);
    in = link_get_u8(in, &m->debounce_on_ms);
    in = link_get_u8(in, &m->debounce_off_ms);
    (void)link_get_u16(in, &m->capabilities);
    return true;
}

/* PING: Requests the panel's clock; keeps the LEDs lit. */
#define LINK_PING_SIZE 4
typedef struct {
    uint32_t echo;
} link_ping_t;

static inline uint8_t *link_ping_put(uint8_t *out, const link_ping_t *m)
{
    out = link_put_u32(out, m->echo);
    return out;
}

static inline bool link_ping_get(const uint8_t *in, uint8_t length, link_ping_t *m)
{
    if (length < LINK_PING_SIZE) {
        return false;
    }
    (void)link_get_u32(in, &m->echo);
    return true;
}

/* PING.reply: The same number, and the panel's time. */
#define LINK_PING_REPLY_SIZE 9
typedef struct {
    uint8_t status;
    uint32_t echo;
    uint32_t t_ms; /* ms since the panel started; wraps after 49.7 days */
} link_ping_reply_t;

static inline uint8_t *link_ping_reply_put(uint8_t *out, const link_ping_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u32(out, m->echo);
    out = link_put_u32(out, m->t_ms);
    return out;
}

static inline bool link_ping_reply_get(const uint8_t *in, uint8_t length, link_ping_reply_t *m)
{
    if (length < LINK_PING_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u32(in, &m->echo);
    (void)link_get_u32(in, &m->t_ms);
    return true;
}

/* GET_SNAPSHOT: Requests the debounced state of all inputs from a byte offset: cells (bit n % 8 of byte n / 8, padded to a byte), then the auxiliary word. */
#define LINK_GET_SNAPSHOT_SIZE 1
typedef struct {
    uint8_t offset; /* first byte wanted */
} link_get_snapshot_t;

static inline uint8_t *link_get_snapshot_put(uint8_t *out, const link_get_snapshot_t *m)
{
    out = link_put_u8(out, m->offset);
    return out;
}

static inline bool link_get_snapshot_get(const uint8_t *in, uint8_t length, link_get_snapshot_t *m)
{
    if (length < LINK_GET_SNAPSHOT_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->offset);
    return true;
}

/* GET_SNAPSHOT.reply: As many bytes as fit; request the rest from offset + len(state) until `total` is reached. If `sequence` has changed in between, restart. */
#define LINK_GET_SNAPSHOT_REPLY_SIZE 11
typedef struct {
    uint8_t status;
    uint16_t sequence; /* number of the newest edge contained */
    uint32_t t_ms;
    uint16_t state_crc; /* CRC-16 of the whole state */
    uint8_t total; /* bytes of the whole state */
    uint8_t offset;
} link_get_snapshot_reply_t;

static inline uint8_t *link_get_snapshot_reply_put(uint8_t *out, const link_get_snapshot_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->sequence);
    out = link_put_u32(out, m->t_ms);
    out = link_put_u16(out, m->state_crc);
    out = link_put_u8(out, m->total);
    out = link_put_u8(out, m->offset);
    return out;
}

static inline bool link_get_snapshot_reply_get(const uint8_t *in, uint8_t length, link_get_snapshot_reply_t *m)
{
    if (length < LINK_GET_SNAPSHOT_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u16(in, &m->sequence);
    in = link_get_u32(in, &m->t_ms);
    in = link_get_u16(in, &m->state_crc);
    in = link_get_u8(in, &m->total);
    (void)link_get_u8(in, &m->offset);
    return true;
}

/* EDGES_SINCE: Requests the edges after a number again, as ordinary EDGES packets. */
#define LINK_EDGES_SINCE_SIZE 2
typedef struct {
    uint16_t sequence; /* the last edge the host has */
} link_edges_since_t;

static inline uint8_t *link_edges_since_put(uint8_t *out, const link_edges_since_t *m)
{
    out = link_put_u16(out, m->sequence);
    return out;
}

static inline bool link_edges_since_get(const uint8_t *in, uint8_t length, link_edges_since_t *m)
{
    if (length < LINK_EDGES_SINCE_SIZE) {
        return false;
    }
    (void)link_get_u16(in, &m->sequence);
    return true;
}

/* EDGES_SINCE.reply: OK: the EDGES packets follow. TOO_OLD: they have left the ring. */
#define LINK_EDGES_SINCE_REPLY_SIZE 3
typedef struct {
    uint8_t status;
    uint16_t newest; /* number of the newest edge */
} link_edges_since_reply_t;

static inline uint8_t *link_edges_since_reply_put(uint8_t *out, const link_edges_since_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->newest);
    return out;
}

static inline bool link_edges_since_reply_get(const uint8_t *in, uint8_t length, link_edges_since_reply_t *m)
{
    if (length < LINK_EDGES_SINCE_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u16(in, &m->newest);
    return true;
}

/* STATS: Requests the counters; all but `uptime_s` and `stack_free` count from the last CLEAR_STATS and saturate. */
#define LINK_STATS_SIZE 0

/* STATS.reply: The counters. */
#define LINK_STATS_REPLY_SIZE 37
typedef struct {
    uint8_t status;
    uint32_t uptime_s;
    uint32_t packets; /* good packets received */
    uint16_t bad_packets; /* CRC or COBS wrong, or too short */
    uint16_t oversized; /* longer than max_packet */
    uint16_t rx_lost; /* bytes lost by the UART or its buffer */
    uint16_t repeats; /* commands answered from the cache */
    uint32_t edges;
    uint16_t edges_lost; /* edges lost while too many inputs were in motion, or too many edges were unsent */
    uint16_t chatter; /* number of times that an input did not settle */
    uint16_t chatter_input; /* the last such input */
    uint16_t scans_late;
    uint16_t scan_max_us; /* longest scan with debouncing */
    uint16_t turn_max_us; /* longest turn of the main loop without LED output */
    uint16_t blackout_max_us; /* longest LED output */
    uint16_t stack_free; /* bytes of memory unused since start; 0 = unknown */
} link_stats_reply_t;

static inline uint8_t *link_stats_reply_put(uint8_t *out, const link_stats_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u32(out, m->uptime_s);
    out = link_put_u32(out, m->packets);
    out = link_put_u16(out, m->bad_packets);
    out = link_put_u16(out, m->oversized);
    out = link_put_u16(out, m->rx_lost);
    out = link_put_u16(out, m->repeats);
    out = link_put_u32(out, m->edges);
    out = link_put_u16(out, m->edges_lost);
    out = link_put_u16(out, m->chatter);
    out = link_put_u16(out, m->chatter_input);
    out = link_put_u16(out, m->scans_late);
    out = link_put_u16(out, m->scan_max_us);
    out = link_put_u16(out, m->turn_max_us);
    out = link_put_u16(out, m->blackout_max_us);
    out = link_put_u16(out, m->stack_free);
    return out;
}

static inline bool link_stats_reply_get(const uint8_t *in, uint8_t length, link_stats_reply_t *m)
{
    if (length < LINK_STATS_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u32(in, &m->uptime_s);
    in = link_get_u32(in, &m->packets);
    in = link_get_u16(in, &m->bad_packets);
    in = link_get_u16(in, &m->oversized);
    in = link_get_u16(in, &m->rx_lost);
    in = link_get_u16(in, &m->repeats);
    in = link_get_u32(in, &m->edges);
    in = link_get_u16(in, &m->edges_lost);
    in = link_get_u16(in, &m->chatter);
    in = link_get_u16(in, &m->chatter_input);
    in = link_get_u16(in, &m->scans_late);
    in = link_get_u16(in, &m->scan_max_us);
    in = link_get_u16(in, &m->turn_max_us);
    in = link_get_u16(in, &m->blackout_max_us);
    (void)link_get_u16(in, &m->stack_free);
    return true;
}

/* CLEAR_STATS: Sets the counters to 0. */
#define LINK_CLEAR_STATS_SIZE 0

/* CLEAR_STATS.reply: Done. */
#define LINK_CLEAR_STATS_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_clear_stats_reply_t;

static inline uint8_t *link_clear_stats_reply_put(uint8_t *out, const link_clear_stats_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_clear_stats_reply_get(const uint8_t *in, uint8_t length, link_clear_stats_reply_t *m)
{
    if (length < LINK_CLEAR_STATS_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* COLUMNS: Since 1.1: requests how long each column of a matrix takes to rise; measured whenever a switch closes. */
#define LINK_COLUMNS_SIZE 0

/* COLUMNS.reply: The rise times. UNSUPPORTED without a matrix. */
#define LINK_COLUMNS_REPLY_SIZE 2
typedef struct {
    uint8_t status;
    uint8_t settle_us; /* how long a scan waits for a column */
} link_columns_reply_t;

static inline uint8_t *link_columns_reply_put(uint8_t *out, const link_columns_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u8(out, m->settle_us);
    return out;
}

static inline bool link_columns_reply_get(const uint8_t *in, uint8_t length, link_columns_reply_t *m)
{
    if (length < LINK_COLUMNS_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u8(in, &m->settle_us);
    return true;
}

/* EDGES_AGAIN: Since 1.1: requests lost edges again, as ordinary EDGES packets; edges after them are not repeated. */
#define LINK_EDGES_AGAIN_SIZE 3
typedef struct {
    uint16_t first; /* number of the first edge wanted */
    uint8_t count; /* 1 .. 255 */
} link_edges_again_t;

static inline uint8_t *link_edges_again_put(uint8_t *out, const link_edges_again_t *m)
{
    out = link_put_u16(out, m->first);
    out = link_put_u8(out, m->count);
    return out;
}

static inline bool link_edges_again_get(const uint8_t *in, uint8_t length, link_edges_again_t *m)
{
    if (length < LINK_EDGES_AGAIN_SIZE) {
        return false;
    }
    in = link_get_u16(in, &m->first);
    (void)link_get_u8(in, &m->count);
    return true;
}

/* EDGES_AGAIN.reply: OK: the EDGES packets follow. TOO_OLD: they have left the ring. */
#define LINK_EDGES_AGAIN_REPLY_SIZE 3
typedef struct {
    uint8_t status;
    uint16_t newest; /* number of the newest edge */
} link_edges_again_reply_t;

static inline uint8_t *link_edges_again_reply_put(uint8_t *out, const link_edges_again_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->newest);
    return out;
}

static inline bool link_edges_again_reply_get(const uint8_t *in, uint8_t length, link_edges_again_reply_t *m)
{
    if (length < LINK_EDGES_AGAIN_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u16(in, &m->newest);
    return true;
}

/* LED_PALETTE: Sets palette entries; shows with the next LED output. */
#define LINK_LED_PALETTE_SIZE 1
typedef struct {
    uint8_t first; /* index of the first entry in the tail */
} link_led_palette_t;

static inline uint8_t *link_led_palette_put(uint8_t *out, const link_led_palette_t *m)
{
    out = link_put_u8(out, m->first);
    return out;
}

static inline bool link_led_palette_get(const uint8_t *in, uint8_t length, link_led_palette_t *m)
{
    if (length < LINK_LED_PALETTE_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->first);
    return true;
}

/* LED_PALETTE.reply: Done. */
#define LINK_LED_PALETTE_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_led_palette_reply_t;

static inline uint8_t *link_led_palette_reply_put(uint8_t *out, const link_led_palette_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_led_palette_reply_get(const uint8_t *in, uint8_t length, link_led_palette_reply_t *m)
{
    if (length < LINK_LED_PALETTE_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* LED_SET: Sets neighbouring LEDs to colours, two to a byte, the first in the low half; a last half left over is 0xF or beyond `count`. */
#define LINK_LED_SET_SIZE 4
typedef struct {
    uint8_t flags;
    uint16_t first;
    uint8_t count;
} link_led_set_t;

static inline uint8_t *link_led_set_put(uint8_t *out, const link_led_set_t *m)
{
    out = link_put_u8(out, m->flags);
    out = link_put_u16(out, m->first);
    out = link_put_u8(out, m->count);
    return out;
}

static inline bool link_led_set_get(const uint8_t *in, uint8_t length, link_led_set_t *m)
{
    if (length < LINK_LED_SET_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->flags);
    in = link_get_u16(in, &m->first);
    (void)link_get_u8(in, &m->count);
    return true;
}

/* LED_SET.reply: Done; with SHOW once the strip is out. */
#define LINK_LED_SET_REPLY_SIZE 3
typedef struct {
    uint8_t status;
    uint16_t current_ma; /* estimate of what the LEDs draw now */
} link_led_set_reply_t;

static inline uint8_t *link_led_set_reply_put(uint8_t *out, const link_led_set_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->current_ma);
    return out;
}

static inline bool link_led_set_reply_get(const uint8_t *in, uint8_t length, link_led_set_reply_t *m)
{
    if (length < LINK_LED_SET_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u16(in, &m->current_ma);
    return true;
}

/* LED_FILL: Sets runs of LEDs to one colour each; with CLEAR and SHOW one packet repaints a board with a few lit cells. */
#define LINK_LED_FILL_SIZE 1
typedef struct {
    uint8_t flags;
} link_led_fill_t;

static inline uint8_t *link_led_fill_put(uint8_t *out, const link_led_fill_t *m)
{
    out = link_put_u8(out, m->flags);
    return out;
}

static inline bool link_led_fill_get(const uint8_t *in, uint8_t length, link_led_fill_t *m)
{
    if (length < LINK_LED_FILL_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->flags);
    return true;
}

/* LED_FILL.reply: Done; with SHOW once the strip is out. */
#define LINK_LED_FILL_REPLY_SIZE 3
typedef struct {
    uint8_t status;
    uint16_t current_ma; /* estimate of what the LEDs draw now */
} link_led_fill_reply_t;

static inline uint8_t *link_led_fill_reply_put(uint8_t *out, const link_led_fill_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->current_ma);
    return out;
}

static inline bool link_led_fill_reply_get(const uint8_t *in, uint8_t length, link_led_fill_reply_t *m)
{
    if (length < LINK_LED_FILL_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u16(in, &m->current_ma);
    return true;
}

/* LED_SHOW: Sends the strip out. */
#define LINK_LED_SHOW_SIZE 0

/* LED_SHOW.reply: The strip is out. */
#define LINK_LED_SHOW_REPLY_SIZE 3
typedef struct {
    uint8_t status;
    uint16_t current_ma; /* estimate of what the LEDs draw now */
} link_led_show_reply_t;

static inline uint8_t *link_led_show_reply_put(uint8_t *out, const link_led_show_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u16(out, m->current_ma);
    return out;
}

static inline bool link_led_show_reply_get(const uint8_t *in, uint8_t length, link_led_show_reply_t *m)
{
    if (length < LINK_LED_SHOW_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    (void)link_get_u16(in, &m->current_ma);
    return true;
}

/* TEXT: Replaces one line of the display; the panel cuts it to its columns and shows `?` for unknown characters. */
#define LINK_TEXT_SIZE 1
typedef struct {
    uint8_t line;
} link_text_t;

static inline uint8_t *link_text_put(uint8_t *out, const link_text_t *m)
{
    out = link_put_u8(out, m->line);
    return out;
}

static inline bool link_text_get(const uint8_t *in, uint8_t length, link_text_t *m)
{
    if (length < LINK_TEXT_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->line);
    return true;
}

/* TEXT.reply: Accepted; drawn within the next milliseconds. */
#define LINK_TEXT_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_text_reply_t;

static inline uint8_t *link_text_reply_put(uint8_t *out, const link_text_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_text_reply_get(const uint8_t *in, uint8_t length, link_text_reply_t *m)
{
    if (length < LINK_TEXT_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* TONE: Plays notes one after another, replacing those that sound; no notes: silence. */
#define LINK_TONE_SIZE 0

/* TONE.reply: Playing. */
#define LINK_TONE_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_tone_reply_t;

static inline uint8_t *link_tone_reply_put(uint8_t *out, const link_tone_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_tone_reply_get(const uint8_t *in, uint8_t length, link_tone_reply_t *m)
{
    if (length < LINK_TONE_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* CONFIG_GET: Requests one configuration value. */
#define LINK_CONFIG_GET_SIZE 1
typedef struct {
    uint8_t key;
} link_config_get_t;

static inline uint8_t *link_config_get_put(uint8_t *out, const link_config_get_t *m)
{
    out = link_put_u8(out, m->key);
    return out;
}

static inline bool link_config_get_get(const uint8_t *in, uint8_t length, link_config_get_t *m)
{
    if (length < LINK_CONFIG_GET_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->key);
    return true;
}

/* CONFIG_GET.reply: The value in force. */
#define LINK_CONFIG_GET_REPLY_SIZE 4
typedef struct {
    uint8_t status;
    uint8_t key;
    uint16_t value;
} link_config_get_reply_t;

static inline uint8_t *link_config_get_reply_put(uint8_t *out, const link_config_get_reply_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u8(out, m->key);
    out = link_put_u16(out, m->value);
    return out;
}

static inline bool link_config_get_reply_get(const uint8_t *in, uint8_t length, link_config_get_reply_t *m)
{
    if (length < LINK_CONFIG_GET_REPLY_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u8(in, &m->key);
    (void)link_get_u16(in, &m->value);
    return true;
}

/* CONFIG_SET: Sets one configuration value, effective at once, lost at power-off unless saved. */
#define LINK_CONFIG_SET_SIZE 3
typedef struct {
    uint8_t key;
    uint16_t value;
} link_config_set_t;

static inline uint8_t *link_config_set_put(uint8_t *out, const link_config_set_t *m)
{
    out = link_put_u8(out, m->key);
    out = link_put_u16(out, m->value);
    return out;
}

static inline bool link_config_set_get(const uint8_t *in, uint8_t length, link_config_set_t *m)
{
    if (length < LINK_CONFIG_SET_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->key);
    (void)link_get_u16(in, &m->value);
    return true;
}

/* CONFIG_SET.reply: In force. */
#define LINK_CONFIG_SET_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_config_set_reply_t;

static inline uint8_t *link_config_set_reply_put(uint8_t *out, const link_config_set_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_config_set_reply_get(const uint8_t *in, uint8_t length, link_config_set_reply_t *m)
{
    if (length < LINK_CONFIG_SET_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* CONFIG_SAVE: Writes the configuration to the EEPROM: the only command that does. */
#define LINK_CONFIG_SAVE_SIZE 0

/* CONFIG_SAVE.reply: Written and read back; or unchanged and not written. */
#define LINK_CONFIG_SAVE_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_config_save_reply_t;

static inline uint8_t *link_config_save_reply_put(uint8_t *out, const link_config_save_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_config_save_reply_get(const uint8_t *in, uint8_t length, link_config_save_reply_t *m)
{
    if (length < LINK_CONFIG_SAVE_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* RESET: Restarts the panel after the reply. */
#define LINK_RESET_SIZE 2
typedef struct {
    uint16_t magic; /* RESET_MAGIC */
} link_reset_t;

static inline uint8_t *link_reset_put(uint8_t *out, const link_reset_t *m)
{
    out = link_put_u16(out, m->magic);
    return out;
}

static inline bool link_reset_get(const uint8_t *in, uint8_t length, link_reset_t *m)
{
    if (length < LINK_RESET_SIZE) {
        return false;
    }
    (void)link_get_u16(in, &m->magic);
    return true;
}

/* RESET.reply: Accepted; BOOT follows. */
#define LINK_RESET_REPLY_SIZE 1
typedef struct {
    uint8_t status;
} link_reset_reply_t;

static inline uint8_t *link_reset_reply_put(uint8_t *out, const link_reset_reply_t *m)
{
    out = link_put_u8(out, m->status);
    return out;
}

static inline bool link_reset_reply_get(const uint8_t *in, uint8_t length, link_reset_reply_t *m)
{
    if (length < LINK_RESET_REPLY_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->status);
    return true;
}

/* BOOT: The panel has started: say HELLO. Same payload as HELLO's reply, nonce 0. */
#define LINK_BOOT_SIZE 41
typedef struct {
    uint8_t status;
    uint8_t major;
    uint8_t minor;
    uint16_t nonce; /* the host's; 0 in BOOT */
    uint32_t fingerprint; /* of this file, as the panel knows it */
    uint16_t session; /* differs after every start of the panel */
    uint8_t firmware_major;
    uint8_t firmware_minor;
    uint8_t firmware_patch;
    uint8_t board;
    uint8_t unique_id[8]; /* permanent id of this panel */
    uint8_t reset_cause;
    uint16_t cells;
    uint8_t rows; /* of a rectangular grid, else 0 */
    uint8_t cols;
    uint16_t leds;
    uint8_t palette; /* palette entries */
    uint8_t text_lines;
    uint8_t text_columns;
    uint8_t buttons;
    uint8_t max_packet; /* longest packet the panel takes, from type to CRC, before COBS */
    uint16_t scan_period_us;
    uint8_t debounce_on_ms;
    uint8_t debounce_off_ms;
    uint16_t capabilities;
} link_boot_t;

static inline uint8_t *link_boot_put(uint8_t *out, const link_boot_t *m)
{
    out = link_put_u8(out, m->status);
    out = link_put_u8(out, m->major);
    out = link_put_u8(out, m->minor);
    out = link_put_u16(out, m->nonce);
    out = link_put_u32(out, m->fingerprint);
    out = link_put_u16(out, m->session);
    out = link_put_u8(out, m->firmware_major);
    out = link_put_u8(out, m->firmware_minor);
    out = link_put_u8(out, m->firmware_patch);
    out = link_put_u8(out, m->board);
    out = link_put_bytes8(out, m->unique_id);
    out = link_put_u8(out, m->reset_cause);
    out = link_put_u16(out, m->cells);
    out = link_put_u8(out, m->rows);
    out = link_put_u8(out, m->cols);
    out = link_put_u16(out, m->leds);
    out = link_put_u8(out, m->palette);
    out = link_put_u8(out, m->text_lines);
    out = link_put_u8(out, m->text_columns);
    out = link_put_u8(out, m->buttons);
    out = link_put_u8(out, m->max_packet);
    out = link_put_u16(out, m->scan_period_us);
    out = link_put_u8(out, m->debounce_on_ms);
    out = link_put_u8(out, m->debounce_off_ms);
    out = link_put_u16(out, m->capabilities);
    return out;
}

static inline bool link_boot_get(const uint8_t *in, uint8_t length, link_boot_t *m)
{
    if (length < LINK_BOOT_SIZE) {
        return false;
    }
    in = link_get_u8(in, &m->status);
    in = link_get_u8(in, &m->major);
    in = link_get_u8(in, &m->minor);
    in = link_get_u16(in, &m->nonce);
    in = link_get_u32(in, &m->fingerprint);
    in = link_get_u16(in, &m->session);
    in = link_get_u8(in, &m->firmware_major);
    in = link_get_u8(in, &m->firmware_minor);
    in = link_get_u8(in, &m->firmware_patch);
    in = link_get_u8(in, &m->board);
    in = link_get_bytes8(in, m->unique_id);
    in = link_get_u8(in, &m->reset_cause);
    in = link_get_u16(in, &m->cells);
    in = link_get_u8(in, &m->rows);
    in = link_get_u8(in, &m->cols);
    in = link_get_u16(in, &m->leds);
    in = link_get_u8(in, &m->palette);
    in = link_get_u8(in, &m->text_lines);
    in = link_get_u8(in, &m->text_columns);
    in = link_get_u8(in, &m->buttons);
    in = link_get_u8(in, &m->max_packet);
    in = link_get_u16(in, &m->scan_period_us);
    in = link_get_u8(in, &m->debounce_on_ms);
    in = link_get_u8(in, &m->debounce_off_ms);
    (void)link_get_u16(in, &m->capabilities);
    return true;
}

/* HEARTBEAT: Once a second: detects a lost last edge, a restarted panel, and different states. */
#define LINK_HEARTBEAT_SIZE 11
typedef struct {
    uint32_t t_ms;
    uint16_t session;
    uint16_t sequence; /* number of the newest edge */
    uint16_t state_crc; /* CRC-16 of the state after it */
    uint8_t health;
} link_heartbeat_t;

static inline uint8_t *link_heartbeat_put(uint8_t *out, const link_heartbeat_t *m)
{
    out = link_put_u32(out, m->t_ms);
    out = link_put_u16(out, m->session);
    out = link_put_u16(out, m->sequence);
    out = link_put_u16(out, m->state_crc);
    out = link_put_u8(out, m->health);
    return out;
}

static inline bool link_heartbeat_get(const uint8_t *in, uint8_t length, link_heartbeat_t *m)
{
    if (length < LINK_HEARTBEAT_SIZE) {
        return false;
    }
    in = link_get_u32(in, &m->t_ms);
    in = link_get_u16(in, &m->session);
    in = link_get_u16(in, &m->sequence);
    in = link_get_u16(in, &m->state_crc);
    (void)link_get_u8(in, &m->health);
    return true;
}

/* EDGES: Edges in the order of their stamps, numbered without gaps. Numbers have 16 bits, because 8 bits would hide a stall of 256 edges: 1.3 s at 200 edges/s. */
#define LINK_EDGES_SIZE 8
typedef struct {
    uint16_t first; /* number of the first edge; the first after a start is 1, 0 follows 65535 */
    uint32_t t_ms; /* stamp of the first edge: ms since the panel started, wraps after 49.7 days */
    uint16_t state_crc; /* CRC-16 of the state after the last edge given */
} link_edges_t;

static inline uint8_t *link_edges_put(uint8_t *out, const link_edges_t *m)
{
    out = link_put_u16(out, m->first);
    out = link_put_u32(out, m->t_ms);
    out = link_put_u16(out, m->state_crc);
    return out;
}

static inline bool link_edges_get(const uint8_t *in, uint8_t length, link_edges_t *m)
{
    if (length < LINK_EDGES_SIZE) {
        return false;
    }
    in = link_get_u16(in, &m->first);
    in = link_get_u32(in, &m->t_ms);
    (void)link_get_u16(in, &m->state_crc);
    return true;
}

/* LOG: A line for people; may be ignored. */
#define LINK_LOG_SIZE 1
typedef struct {
    uint8_t level;
} link_log_t;

static inline uint8_t *link_log_put(uint8_t *out, const link_log_t *m)
{
    out = link_put_u8(out, m->level);
    return out;
}

static inline bool link_log_get(const uint8_t *in, uint8_t length, link_log_t *m)
{
    if (length < LINK_LOG_SIZE) {
        return false;
    }
    (void)link_get_u8(in, &m->level);
    return true;
}

/* X(name) for every struct with link_<name>_put and link_<name>_get. */
#define LINK_EACH_HEAD(X) \
X(edge) X(colour) X(run) X(note) X(hello) X(hello_reply) X(ping) X(ping_reply) X(get_snapshot) \
X(get_snapshot_reply) X(edges_since) X(edges_since_reply) X(stats_reply) X(clear_stats_reply) \
X(columns_reply) X(edges_again) X(edges_again_reply) X(led_palette) X(led_palette_reply) X(led_set) \
X(led_set_reply) X(led_fill) X(led_fill_reply) X(led_show_reply) X(text) X(text_reply) X(tone_reply) \
X(config_get) X(config_get_reply) X(config_set) X(config_set_reply) X(config_save_reply) X(reset) \
X(reset_reply) X(boot) X(heartbeat) X(edges) X(log)

#endif
