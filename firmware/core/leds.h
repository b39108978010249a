/* SPDX-License-Identifier: Apache-2.0
 *
 * The image on the LEDs: a palette index of four bits per LED, blinking, and the current limit.
 *
 * Rule: the image is stored here; the strip is written on request, when a blinking colour changes, and when the
 * host falls silent (dark) or sends again (the same image).
 */
#ifndef CORE_LEDS_H
#define CORE_LEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"
#include "hal/hal.h"

/* WS2812B: 20 mA a channel at full brightness (data sheet), 0.6 mA per dark LED (measured). */
#define LED_CHANNEL_MA 20
#define LEDS_IDLE_MA (PANEL_LEDS * 3 / 5)

struct leds {
    uint8_t colours[COLOUR_BYTES]; /* two a byte, in the order of the strip */
    uint16_t used[LINK_PALETTE_SIZE]; /* LEDs of each colour */
    link_colour_t palette[LINK_PALETTE_SIZE];
    uint16_t limit_ma;
    uint16_t current_ma; /* estimated current of the image as last shown */
    uint16_t changed_end; /* places before this one differ from the strip */
    uint16_t scale;      /* of the colours as last shown, in 256ths */
    uint16_t second;     /* colours now showing their second half, as bits */
    uint16_t tick;       /* 10 ms, the clock of blinking */
    uint8_t brightness;
    bool is_limited;
    bool is_dark;
};

void leds_init(struct leds *leds, uint16_t limit_ma, uint8_t brightness);
void leds_set(struct leds *leds, uint16_t led, uint8_t colour);
void leds_clear(struct leds *leds);
/* Apply a palette entry, a limit or a brightness. */
void leds_set_colour(struct leds *leds, uint8_t index, const link_colour_t *colour);
void leds_set_power(struct leds *leds, uint16_t limit_ma, uint8_t brightness);

/* Keep the current limit: set scale, current_ma and is_limited of the image. To be called before it is sent. */
void leds_limit(struct leds *leds);
/* Write the strip up to the last place that changed; false if hal_leds_out stopped because of `watched`. */
bool leds_send(struct leds *leds, const struct levels *watched);
/* Darken the strip, or light it again: true if it should be shown. */
bool leds_set_dark(struct leds *leds, bool is_dark);
/* 10 ms have passed: true if a blinking colour turned and the strip should be shown. */
bool leds_tick(struct leds *leds);

#endif
