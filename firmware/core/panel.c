/* SPDX-License-Identifier: Apache-2.0 */
#include "core/panel.h"

#include <string.h>

#include "core/bits.h"
#include "core/commands.h"
#include "hal/hal.h"

#define BLINK_TICK_MS 10
#define CHATTER_PAUSE_MS 4 /* longer: the chatter may have ended */
/* Scans keep this place within a millisecond of the panel's clock, so that four scans are four milliseconds. */
#define MID_MS_US 500

static void scan(uint8_t *raw)
{
    chip_probe(PROBE_SCAN_BEGIN);
    hal_scan(raw);
    uint16_t buttons = hal_buttons();
    raw[SENSOR_BYTES] = (uint8_t)buttons;
    raw[SENSOR_BYTES + 1] = (uint8_t)(buttons >> 8);
    chip_probe(PROBE_SCAN_END);
}

/* No game has a piece on every cell: such a board is miswired, not full. */
static bool all_closed(const uint8_t *raw)
{
    uint16_t closed = 0;
    for (uint16_t sensor = 0; sensor < SENSOR_BYTES * 8; sensor++) {
        closed = (uint16_t)(closed + (bit_get(raw, sensor) ? 1 : 0));
    }
    return closed >= PANEL_CELLS;
}

static void complain(struct panel *p, uint8_t fault)
{
    p->unlogged |= fault & (uint8_t)~p->faults;
    p->faults |= fault;
}

static void self_test(struct panel *p, const uint8_t *raw)
{
    if (!hal_wiring_is_right()) {
        complain(p, LINK_FAULT_WIRING);
    }
    if (!hal_columns_are_quiet()) {
        complain(p, LINK_FAULT_COLUMN_SHORTED);
    }
    if (all_closed(raw)) {
        complain(p, LINK_FAULT_ALL_CLOSED);
    }
}

/* The self-calibration: the columns of rows in which a switch has closed, one row a scan. */
static void measure_rise(struct panel *p)
{
#if RISE_COLUMNS != 0
    uint8_t row = 0;
    while (row < PANEL_SENSOR_ROWS && !bit_get(p->rise_rows, row)) {
        row++;
    }
    if (row == PANEL_SENSOR_ROWS) {
        return;
    }
    bit_put(p->rise_rows, row, false);
    hal_measure_rise(row, p->rise_us);
    for (uint8_t column = 0; column < RISE_COLUMNS; column++) {
        if (p->rise_us[column] > PANEL_SETTLE_US) {
            complain(p, LINK_FAULT_SLOW_COLUMN);
        }
    }
#else
    (void)p;
#endif
}

void panel_init(struct panel *p, uint32_t now_us)
{
    uint8_t raw[RAW_BYTES];
    memset(p, 0, sizeof *p);
    p->now_us = now_us;
    p->session = hal_session();
    p->reset_cause = hal_reset_cause();
    p->is_boot_due = true;
    p->has_shown = true; /* starting takes longer than a turn */
    scan(raw);
    self_test(p, raw);
    debounce_init(&p->debounce, raw);
    edges_init(&p->edges, raw);
    if (config_init(&p->config) == CONFIG_DEFAULT) {
        complain(p, LINK_FAULT_SETTINGS);
    }
    if (p->config.is_other_panel) {
        complain(p, LINK_FAULT_OTHER_PANEL);
    }
    leds_init(&p->leds, p->config.current_limit_ma, p->config.brightness);
    leds_limit(&p->leds);
    (void)leds_send(&p->leds, NULL);
    text_init(&p->text, 0);
    p->scan_due_us = (uint16_t)(now_us + MID_MS_US);
}

uint8_t panel_describe(const struct panel *p, uint8_t *payload, uint16_t nonce)
{
    link_hello_reply_t about = {
        .status = LINK_STATUS_OK,
        .major = LINK_MAJOR,
        .minor = LINK_MINOR,
        .nonce = nonce,
        .fingerprint = LINK_FINGERPRINT,
        .session = p->session,
        .firmware_major = FIRMWARE_MAJOR,
        .firmware_minor = FIRMWARE_MINOR,
        .firmware_patch = FIRMWARE_PATCH,
        .board = CHIP_BOARD_KIND,
        .reset_cause = p->reset_cause,
        .cells = PANEL_CELLS,
        .rows = PANEL_RANKS,
        .cols = PANEL_FILES,
        .leds = PANEL_LEDS,
        .palette = LINK_PALETTE_SIZE,
        .text_lines = PANEL_TEXT_LINES,
        .text_columns = PANEL_TEXT_COLUMNS,
        .buttons = PANEL_BUTTONS,
        .max_packet = CHIP_MAX_PACKET,
        .scan_period_us = PANEL_SCAN_PERIOD_US,
        .debounce_on_ms = p->config.debounce_on_ms,
        .debounce_off_ms = p->config.debounce_off_ms,
        .capabilities = (PANEL_LEDS ? LINK_CAPABILITY_LEDS : 0) | (TEXT_CELLS ? LINK_CAPABILITY_TEXT : 0) |
                        (PANEL_TONE ? LINK_CAPABILITY_TONE : 0) | (PANEL_LEVER ? LINK_CAPABILITY_LEVER : 0) |
                        LINK_CAPABILITY_CONFIG,
    };
    _Static_assert(LINK_HELLO_REPLY_SIZE + 2 + CONFIG_NAME_LENGTH + 3 + PACKET_OVERHEAD <= LINK_MAX_PACKET_SMALL,
                   "the panel's name is too long");
    memcpy(about.unique_id, p->config.unique_id, sizeof about.unique_id);
    uint8_t *out = link_hello_reply_put(payload, &about);
    out = link_put_u8(out, LINK_TAG_PANEL);
    out = link_put_u8(out, CONFIG_NAME_LENGTH);
    for (uint8_t at = 0; at < CONFIG_NAME_LENGTH; at++) {
        out = link_put_u8(out, config_name_u8(at));
    }
    out = link_put_u8(link_put_u8(out, LINK_TAG_FAULTS), 1);
    out = link_put_u8(out, p->faults);
    return (uint8_t)(out - payload);
}

static void raise_to(uint16_t *most, uint32_t value)
{
    uint16_t bounded = value > 0xFFFF ? 0xFFFF : (uint16_t)value;
    if (bounded > *most) {
        *most = bounded;
    }
}

void panel_show(struct panel *p)
{
    leds_limit(&p->leds);
    if (!p->is_show_due) {
        p->is_show_due = true;
        p->show_due_ms = (uint16_t)p->now_ms;
    }
}

/* All that cannot wait for the strip is done: a scan, telling its edges, and deciding what has just moved. */
static bool is_quiet(const struct panel *p, uint32_t now_us, uint16_t pause_ms)
{
    bool is_scan_due = (uint16_t)((uint16_t)now_us - p->scan_due_us) < 0x8000;
    return !is_scan_due && debounce_is_calm(&p->debounce, (uint16_t)p->now_ms, pause_ms) && !edges_are_due(&p->edges) && hal_send_is_idle();
}

/* A chip that cannot scan while it sends stops sending when an input changes. So the switches are seen as at other times, and
 * the LEDs wait; after SHOW_PATIENCE_MS no longer for a switch that chatters, after SHOW_LIMIT_MS for nothing. */
static void show_if_due(struct panel *p)
{
    if (!p->is_show_due) {
        return;
    }
    uint32_t begun_us = hal_now_us();
    uint16_t waited_ms = (uint16_t)((uint16_t)p->now_ms - p->show_due_ms);
    uint16_t pause_ms = waited_ms < SHOW_PATIENCE_MS ? CHATTER_PAUSE_MS : 0xFFFF;
    if (CHIP_LEDS_STOP_SCANS && waited_ms < SHOW_LIMIT_MS && !is_quiet(p, begun_us, pause_ms)) {
        return;
    }
    p->is_show_due = !leds_send(&p->leds, waited_ms < SHOW_LIMIT_MS ? &p->debounce.levels : NULL);
    p->is_show_awaited = p->is_show_awaited && p->is_show_due;
    raise_to(&p->stats.blackout_max_us, hal_now_us() - begun_us);
    p->has_shown = true;
}

static void advance_clock(struct panel *p, uint32_t now_us)
{
    uint32_t passed_us = now_us - p->now_us;
    p->now_us = now_us;
    if (!p->has_shown) {
        raise_to(&p->stats.turn_max_us, passed_us);
    }
    p->has_shown = false;
    passed_us += p->rest_us;
    while (passed_us >= 1000) {
        passed_us -= 1000;
        p->now_ms++;
    }
    p->rest_us = (uint16_t)passed_us;
}

/* While the ring is full of edges not yet sent, further ones wait in the debouncer, with their stamps. */
static void report_edges(struct panel *p)
{
    struct burst edge;
    while (edges_unsent(&p->edges) < CHIP_EDGE_RING && debounce_take(&p->debounce, &edge)) {
        uint32_t t_ms = p->now_ms - (uint16_t)((uint16_t)p->now_ms - edge.first_ms);
        p->stats.edges++;
        edges_push(&p->edges, edge.input, edge.goal, t_ms);
        if (edge.goal && edge.input < SENSOR_BYTES * 8) {
            bit_put(p->rise_rows, edge.input / (ROW_BYTES * 8), true);
        }
    }
    if (p->debounce.lost != 0) {
        count_up(&p->stats.edges_lost, p->debounce.lost);
        p->debounce.lost = 0;
        p->health |= LINK_HEALTH_EDGES_LOST;
    }
    if (p->debounce.chatter != p->chatter_seen) {
        count_up(&p->stats.chatter, (uint16_t)(p->debounce.chatter - p->chatter_seen));
        p->chatter_seen = p->debounce.chatter;
        p->health |= LINK_HEALTH_CHATTER;
    }
}

static void scan_if_due(struct panel *p)
{
    uint16_t late_us = (uint16_t)((uint16_t)p->now_us - p->scan_due_us);
    if (late_us >= 0x8000) {
        return;
    }
    uint16_t due_in_us = PANEL_SCAN_PERIOD_US;
    while (due_in_us <= late_us) {
        due_in_us = (uint16_t)(due_in_us + PANEL_SCAN_PERIOD_US);
    }
    p->scan_due_us = (uint16_t)(p->scan_due_us + due_in_us);
    if (late_us >= PANEL_SCAN_PERIOD_US) {
        count_up(&p->stats.scans_late, 1);
        p->health |= LINK_HEALTH_SCAN_LATE;
    }
    uint8_t raw[RAW_BYTES];
    uint32_t begun_us = hal_now_us();
    scan(raw);
    debounce_scan(&p->debounce, raw, (uint16_t)p->now_ms, p->config.debounce_on_ms, p->config.debounce_off_ms);
    report_edges(p);
    raise_to(&p->stats.scan_max_us, hal_now_us() - begun_us);
    measure_rise(p);
}

static void light(struct panel *p)
{
    bool is_turned = false;
    while (p->now_ms - p->blink_ms >= BLINK_TICK_MS) {
        p->blink_ms += BLINK_TICK_MS;
        is_turned = leds_tick(&p->leds) || is_turned;
    }
    if (is_turned) {
        panel_show(p);
    }
    bool is_silent = p->now_ms - p->heard_ms >= LINK_HOST_SILENCE_MS;
    if (is_silent && leds_set_dark(&p->leds, true)) {
        panel_show(p);
    }
}

void panel_turn(struct panel *p, uint32_t now_us)
{
    advance_clock(p, now_us);
    scan_if_due(p);
    link_receive(p);
    if (p->is_saving && !config_saving(&p->config)) {
        commands_saved(p);
    }
    link_transmit(p);
    light(p);
    text_turn(&p->text, (uint16_t)p->now_ms);
    tone_turn(&p->tone, (uint16_t)p->now_ms);
    show_if_due(p);
    if (p->is_reset_due && !p->link.is_reply_due && hal_send_is_idle()) {
        hal_reset();
    }
}
