/* SPDX-License-Identifier: Apache-2.0
 *
 * The panel: the complete state of the firmware in one struct, advanced by one function.
 */
#ifndef CORE_PANEL_H
#define CORE_PANEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config.h"
#include "core/debounce.h"
#include "core/edges.h"
#include "core/leds.h"
#include "core/link.h"
#include "core/sizes.h"
#include "core/text.h"
#include "core/tone.h"

struct panel {
    uint32_t now_us, now_ms;
    uint16_t rest_us;      /* us beyond now_ms */
    uint16_t scan_due_us;  /* low half of the time of the next scan */
    uint16_t chatter_seen; /* of debounce.chatter */
    uint32_t heartbeat_ms; /* of the last one */
    uint32_t heard_ms;     /* when the host last sent a good packet */
    uint32_t blink_ms;
    uint16_t show_due_ms;  /* low half of the time since when the image waits to be sent */
    uint16_t session;
    uint8_t reset_cause;
    uint8_t health;        /* LINK_HEALTH_* since the last heartbeat */
    uint8_t faults;        /* LINK_FAULT_* since the start */
    uint8_t unlogged;      /* of them those that no line for people was sent for */
    uint8_t rise_rows[(PANEL_SENSOR_ROWS + 7) / 8]; /* in which a switch has closed: their columns are to be measured */
    uint8_t rise_us[RISE_COLUMNS ? RISE_COLUMNS : 1]; /* of each column, 0 before it was measured */
    bool is_boot_due;
    bool is_reset_due;
    bool is_saving;        /* CONFIG_SAVE runs, its reply is pending */
    bool is_show_due;
    bool is_show_awaited;  /* its reply is pending */
    bool has_shown;        /* this turn wrote LEDs: it does not count for turn_max_us */

    link_stats_reply_t stats;
    struct debounce debounce;
    struct edges edges;
    struct leds leds;
    struct text text;
    struct tone tone;
    struct config config;
    struct link link;
};

void panel_init(struct panel *panel, uint32_t now_us);
/* One turn of the main loop; `now_us` as from hal_now_us. */
void panel_turn(struct panel *panel, uint32_t now_us);

/* Let the image be sent to the LEDs: when no switch has just moved, or after SHOW_LIMIT_MS. */
#define SHOW_PATIENCE_MS 20
#define SHOW_LIMIT_MS 60
void panel_show(struct panel *panel);
/* Fill in the payload of HELLO's reply and of BOOT, and return its length. */
uint8_t panel_describe(const struct panel *panel, uint8_t *payload, uint16_t nonce);

static inline void count_up(uint16_t *counter, uint16_t by)
{
    *counter = *counter > 0xFFFFu - by ? 0xFFFFu : (uint16_t)(*counter + by);
}

#endif
