/* SPDX-License-Identifier: Apache-2.0 */
#include "core/commands.h"

#include <string.h>

#include "core/panel.h"
#include "hal/hal.h"

/* Each command gets its payload and room for that of the reply, after the status; it returns the status and, by
 * `out`, where the reply ends. A status that is a failure cuts the reply to the status alone. */
typedef uint8_t status_t;

static bool is_failure(status_t status)
{
    return status >= LINK_STATUS_UNSUPPORTED;
}

static status_t ping(const struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_ping_t ask;
    if (!link_ping_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    *out = link_put_u32(link_put_u32(*out, ask.echo), p->now_ms);
    return LINK_STATUS_OK;
}

static status_t hello(struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_hello_t host;
    if (!link_hello_get(in, length, &host)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    uint8_t *payload = *out - 1;
    *out = payload + panel_describe(p, payload, host.nonce);
    return LINK_STATUS_OK;
}

static status_t get_snapshot(const struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_get_snapshot_t ask;
    if (!link_get_snapshot_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    if (ask.offset >= STATE_BYTES) {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    const link_get_snapshot_reply_t head = {
        .sequence = p->edges.newest,
        .t_ms = p->now_ms,
        .state_crc = edges_state_crc(&p->edges),
        .total = STATE_BYTES,
        .offset = ask.offset,
    };
    uint8_t count = (uint8_t)(STATE_BYTES - ask.offset);
    if (count > PAYLOAD_ROOM - LINK_GET_SNAPSHOT_REPLY_SIZE) {
        count = PAYLOAD_ROOM - LINK_GET_SNAPSHOT_REPLY_SIZE;
    }
    *out = link_get_snapshot_reply_put(*out - 1, &head);
    memcpy(*out, &p->edges.state[ask.offset], count);
    *out += count;
    return LINK_STATUS_OK;
}

static status_t edges_since(struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_edges_since_t ask;
    if (!link_edges_since_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    if (!edges_rewind(&p->edges, ask.sequence)) {
        return LINK_STATUS_TOO_OLD;
    }
    *out = link_put_u16(*out, p->edges.newest);
    return LINK_STATUS_OK;
}

static status_t edges_again(struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_edges_again_t ask;
    if (!link_edges_again_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    if (ask.count == 0) {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    if (!edges_repeat(&p->edges, ask.first, ask.count)) {
        return LINK_STATUS_TOO_OLD;
    }
    *out = link_put_u16(*out, p->edges.newest);
    return LINK_STATUS_OK;
}

static status_t columns(const struct panel *p, uint8_t **out)
{
    if (RISE_COLUMNS == 0) {
        return LINK_STATUS_UNSUPPORTED;
    }
    *out = link_put_u8(*out, PANEL_SETTLE_US);
    memcpy(*out, p->rise_us, RISE_COLUMNS);
    *out += RISE_COLUMNS;
    return LINK_STATUS_OK;
}

static status_t stats(struct panel *p, uint8_t **out)
{
    p->stats.uptime_s = p->now_ms / 1000;
    p->stats.chatter_input = edges_input_of(p->debounce.chatter_input);
    p->stats.stack_free = hal_stack_free();
    *out = link_stats_reply_put(*out - 1, &p->stats);
    return LINK_STATUS_OK;
}

static status_t led_palette(struct panel *p, const uint8_t *in, uint8_t length)
{
    if (length < LINK_LED_PALETTE_SIZE || (length - LINK_LED_PALETTE_SIZE) % LINK_COLOUR_SIZE != 0) {
        return LINK_STATUS_BAD_LENGTH;
    }
    uint8_t first = in[0];
    uint8_t count = (uint8_t)((length - LINK_LED_PALETTE_SIZE) / LINK_COLOUR_SIZE);
    if (first + count > LINK_PALETTE_SIZE) {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    for (uint8_t at = 0; at < count; at++) {
        link_colour_t colour;
        (void)link_colour_get(&in[LINK_LED_PALETTE_SIZE + at * LINK_COLOUR_SIZE], LINK_COLOUR_SIZE, &colour);
        leds_set_colour(&p->leds, (uint8_t)(first + at), &colour);
    }
    return LINK_STATUS_OK;
}

/* The end of every LED command: show if requested, reply with the current once that is done. */
static status_t lamps(struct panel *p, uint8_t flags, uint8_t **out)
{
    if ((flags & LINK_LAMP_SHOW) != 0) {
        panel_show(p);
        p->is_show_awaited = true;
    }
    *out = link_put_u16(*out, p->leds.current_ma);
    return p->leds.is_limited ? LINK_STATUS_POWER_LIMITED : LINK_STATUS_OK;
}

static status_t led_set(struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    link_led_set_t set;
    if (!link_led_set_get(in, length, &set) || length < LINK_LED_SET_SIZE + (set.count + 1) / 2) {
        return LINK_STATUS_BAD_LENGTH;
    }
    if ((uint32_t)set.first + set.count > PANEL_LEDS) {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    if ((set.flags & LINK_LAMP_CLEAR) != 0) {
        leds_clear(&p->leds);
    }
    for (uint8_t at = 0; at < set.count; at++) {
        uint8_t pair = in[LINK_LED_SET_SIZE + at / 2];
        leds_set(&p->leds, (uint16_t)(set.first + at), (uint8_t)((at & 1u) != 0 ? pair >> 4 : pair & 0xF));
    }
    return lamps(p, set.flags, out);
}

static status_t led_fill(struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    if (length < LINK_LED_FILL_SIZE || (length - LINK_LED_FILL_SIZE) % LINK_RUN_SIZE != 0) {
        return LINK_STATUS_BAD_LENGTH;
    }
    link_run_t run;
    for (uint8_t at = LINK_LED_FILL_SIZE; at < length; at = (uint8_t)(at + LINK_RUN_SIZE)) {
        (void)link_run_get(&in[at], LINK_RUN_SIZE, &run);
        if ((uint32_t)run.first + run.count > PANEL_LEDS || run.colour >= LINK_PALETTE_SIZE) {
            return LINK_STATUS_BAD_ARGUMENT;
        }
    }
    if ((in[0] & LINK_LAMP_CLEAR) != 0) {
        leds_clear(&p->leds);
    }
    for (uint8_t at = LINK_LED_FILL_SIZE; at < length; at = (uint8_t)(at + LINK_RUN_SIZE)) {
        (void)link_run_get(&in[at], LINK_RUN_SIZE, &run);
        for (uint8_t n = 0; n < run.count; n++) {
            leds_set(&p->leds, (uint16_t)(run.first + n), run.colour);
        }
    }
    return lamps(p, in[0], out);
}

static status_t text(struct panel *p, const uint8_t *in, uint8_t length)
{
    if (length < LINK_TEXT_SIZE) {
        return LINK_STATUS_BAD_LENGTH;
    }
    bool is_line = text_set(&p->text, in[0], &in[LINK_TEXT_SIZE], (uint8_t)(length - LINK_TEXT_SIZE));
    return is_line ? LINK_STATUS_OK : LINK_STATUS_BAD_ARGUMENT;
}

static status_t tone(struct panel *p, const uint8_t *in, uint8_t length)
{
    link_note_t notes[LINK_TONE_NOTES];
    if (length % LINK_NOTE_SIZE != 0) {
        return LINK_STATUS_BAD_LENGTH;
    }
    uint8_t count = (uint8_t)(length / LINK_NOTE_SIZE);
    if (count > LINK_TONE_NOTES) {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    for (uint8_t at = 0; at < count; at++) {
        (void)link_note_get(&in[at * LINK_NOTE_SIZE], LINK_NOTE_SIZE, &notes[at]);
        uint16_t pitch = notes[at].pitch_hz;
        if (pitch != 0 && (pitch < PITCH_LOWEST_HZ || pitch > PITCH_HIGHEST_HZ)) {
            return LINK_STATUS_BAD_ARGUMENT;
        }
    }
    tone_play(&p->tone, notes, count, (uint16_t)p->now_ms);
    return LINK_STATUS_OK;
}

static status_t read_config(const struct panel *p, const uint8_t *in, uint8_t length, uint8_t **out)
{
    uint16_t value = 0;
    if (length < LINK_CONFIG_GET_SIZE) {
        return LINK_STATUS_BAD_LENGTH;
    }
    status_t status = config_get(&p->config, in[0], &value);
    *out = link_put_u16(link_put_u8(*out, in[0]), value);
    return status;
}

static status_t write_config(struct panel *p, const uint8_t *in, uint8_t length)
{
    link_config_set_t ask;
    if (!link_config_set_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    status_t status = config_set(&p->config, ask.key, ask.value);
    leds_set_power(&p->leds, p->config.current_limit_ma, p->config.brightness);
    return status;
}

static status_t reset(struct panel *p, const uint8_t *in, uint8_t length)
{
    link_reset_t ask;
    if (!link_reset_get(in, length, &ask)) {
        return LINK_STATUS_BAD_LENGTH;
    }
    p->is_reset_due = ask.magic == LINK_RESET_MAGIC;
    return p->is_reset_due ? LINK_STATUS_OK : LINK_STATUS_BAD_ARGUMENT;
}

/* Queries and configuration. */
static status_t execute(struct panel *p, uint8_t type, const uint8_t *in, uint8_t length, uint8_t **out)
{
    switch (type) {
    case LINK_HELLO:
        return hello(p, in, length, out);
    case LINK_PING:
        return ping(p, in, length, out);
    case LINK_GET_SNAPSHOT:
        return get_snapshot(p, in, length, out);
    case LINK_EDGES_SINCE:
        return edges_since(p, in, length, out);
    case LINK_STATS:
        return stats(p, out);
    case LINK_CLEAR_STATS:
        memset(&p->stats, 0, sizeof p->stats);
        return LINK_STATUS_OK;
    case LINK_COLUMNS:
        return columns(p, out);
    case LINK_EDGES_AGAIN:
        return edges_again(p, in, length, out);
    case LINK_CONFIG_GET:
        return read_config(p, in, length, out);
    case LINK_CONFIG_SET:
        return write_config(p, in, length);
    case LINK_RESET:
        return reset(p, in, length);
    default:
        return LINK_STATUS_UNSUPPORTED;
    }
}

/* Outputs; a panel without an output refuses its commands. */
static status_t execute_shown(struct panel *p, uint8_t type, const uint8_t *in, uint8_t length, uint8_t **out)
{
    if (PANEL_LEDS != 0) {
        switch (type) {
        case LINK_LED_PALETTE:
            return led_palette(p, in, length);
        case LINK_LED_SET:
            return led_set(p, in, length, out);
        case LINK_LED_FILL:
            return led_fill(p, in, length, out);
        case LINK_LED_SHOW:
            return lamps(p, LINK_LAMP_SHOW, out);
        default:
            break;
        }
    }
    if (type == LINK_TEXT && TEXT_CELLS != 0) {
        return text(p, in, length);
    }
    if (type == LINK_TONE && PANEL_TONE) {
        return tone(p, in, length);
    }
    return LINK_STATUS_UNSUPPORTED;
}

static void finish(struct panel *p, status_t status, const uint8_t *end)
{
    uint8_t *payload = link_reply_payload(&p->link);
    payload[0] = status;
    if (is_failure(status)) {
        end = payload + 1;
    }
    link_finish_reply(&p->link, (uint8_t)(end - payload));
}

void commands_execute(struct panel *p, uint8_t type, const uint8_t *in, uint8_t length)
{
    if (type == LINK_CONFIG_SAVE) {
        p->is_saving = config_save(&p->config, p->now_ms);
        if (!p->is_saving) {
            finish(p, LINK_STATUS_STORAGE_FAILED, link_reply_payload(&p->link) + 1);
        }
        return;
    }
    uint8_t *out = link_reply_payload(&p->link) + 1;
    bool is_shown = type >= LINK_LED_PALETTE && type < LINK_CONFIG_GET;
    status_t status = is_shown ? execute_shown(p, type, in, length, &out) : execute(p, type, in, length, &out);
    finish(p, status, out);
}

void commands_saved(struct panel *p)
{
    p->is_saving = false;
    bool is_saved = config_saved(&p->config);
    if (is_saved) {
        p->faults &= (uint8_t)~LINK_FAULT_OTHER_PANEL;
    }
    finish(p, is_saved ? LINK_STATUS_OK : LINK_STATUS_STORAGE_FAILED,
           link_reply_payload(&p->link) + 1);
}
