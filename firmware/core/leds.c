/* SPDX-License-Identifier: Apache-2.0 */
#include "core/leds.h"

#include <string.h>

#ifdef PANEL_PLACE_OF_LED
static const uint16_t place_of_led[PANEL_LEDS] CHIP_FLASH = PANEL_PLACE_OF_LED;
#define place_of(led) chip_flash_u16(&place_of_led[led])
#else
#define place_of(led) (led)
#endif

/* The image changes up to the last LED of these colours, given as bits. */
static void colours_changed(struct leds *leds, uint16_t colours)
{
    for (uint16_t place = PANEL_LEDS; place > leds->changed_end; place--) {
        uint8_t pair = leds->colours[(place - 1) >> 1];
        uint8_t colour = (place & 1u) != 0 ? pair & 0xFu : pair >> 4;
        if ((colours & (1u << colour)) != 0) {
            leds->changed_end = place;
        }
    }
}

void leds_init(struct leds *leds, uint16_t limit_ma, uint8_t brightness)
{
    memset(leds, 0, sizeof *leds);
    leds->used[0] = PANEL_LEDS;
    leds->changed_end = PANEL_LEDS;
    leds_set_power(leds, limit_ma, brightness);
}

void leds_set(struct leds *leds, uint16_t led, uint8_t colour)
{
    uint16_t place = place_of(led);
    uint8_t shift = (place & 1u) != 0 ? 4 : 0;
    uint8_t *pair = &leds->colours[place >> 1];
    uint8_t old = (uint8_t)(*pair >> shift) & 0xFu;
    if (old == colour) {
        return;
    }
    *pair = (uint8_t)(*pair ^ (uint8_t)((old ^ colour) << shift));
    leds->used[old]--;
    leds->used[colour]++;
    if (place >= leds->changed_end) {
        leds->changed_end = (uint16_t)(place + 1);
    }
}

void leds_clear(struct leds *leds)
{
    /* From the far end, so that dark LEDs are not sent again. */
    for (uint16_t led = PANEL_LEDS; led-- > 0;) {
        leds_set(leds, led, 0);
    }
}

void leds_set_colour(struct leds *leds, uint8_t index, const link_colour_t *colour)
{
    if (memcmp(&leds->palette[index], colour, sizeof *colour) != 0) {
        leds->palette[index] = *colour;
        colours_changed(leds, (uint16_t)(1u << index));
    }
}

void leds_set_power(struct leds *leds, uint16_t limit_ma, uint8_t brightness)
{
    leds->limit_ma = limit_ma;
    leds->brightness = brightness;
}

static uint16_t sum3(uint8_t a, uint8_t b, uint8_t c)
{
    return (uint16_t)(a + b + c);
}

/* Current of the image at full brightness, in units of one channel step; of blinking colours the stronger one. */
static uint32_t demand(const struct leds *leds)
{
    uint32_t steps = 0;
    for (uint8_t index = 0; index < LINK_PALETTE_SIZE; index++) {
        if (leds->used[index] == 0) {
            continue;
        }
        const link_colour_t *c = &leds->palette[index];
        uint16_t first = sum3(c->red, c->green, c->blue);
        uint16_t second = c->period != 0 ? sum3(c->red2, c->green2, c->blue2) : 0;
        steps += (uint32_t)leds->used[index] * (first > second ? first : second);
    }
    return steps;
}

/* The factor for colours, in 256ths, that keeps the limit. Sets is_limited and current_ma. */
static uint16_t lawful_scale(struct leds *leds)
{
    uint16_t wanted_scale = (uint16_t)(leds->brightness + 1);
    uint32_t wanted_ma = (demand(leds) * LED_CHANNEL_MA / 255 + 1) * wanted_scale / 256;
    uint16_t idle_ma = LEDS_IDLE_MA;
    uint16_t free_ma = leds->limit_ma > idle_ma ? (uint16_t)(leds->limit_ma - idle_ma) : 0;
    leds->is_limited = wanted_ma > free_ma;
    if (!leds->is_limited) {
        leds->current_ma = (uint16_t)(idle_ma + wanted_ma);
        return wanted_scale;
    }
    leds->current_ma = (uint16_t)(idle_ma + free_ma);
    return (uint16_t)(wanted_scale * (uint32_t)free_ma / (wanted_ma + 1));
}

static uint8_t scaled(uint8_t value, uint16_t scale)
{
    return (uint8_t)((uint16_t)(value * scale) >> 8);
}

/* Colours that are not black in both halves of their period, as bits. */
static uint16_t lit_colours(const struct leds *leds)
{
    static const uint8_t black[6];
    uint16_t lit = 0;
    for (uint8_t index = 0; index < LINK_PALETTE_SIZE; index++) {
        if (memcmp(&leds->palette[index], black, sizeof black) != 0) {
            lit = (uint16_t)(lit | 1u << index);
        }
    }
    return lit;
}

void leds_limit(struct leds *leds)
{
    uint16_t scale = lawful_scale(leds);
    if (scale != leds->scale) {
        leds->scale = scale;
        colours_changed(leds, lit_colours(leds));
    }
}

bool leds_send(struct leds *leds, const struct levels *watched)
{
    uint8_t palette[LINK_PALETTE_SIZE][3];
    uint16_t scale = leds->scale;
    memset(palette, 0, sizeof palette);
    for (uint8_t index = 0; index < LINK_PALETTE_SIZE && !leds->is_dark; index++) {
        if (leds->used[index] == 0) {
            continue;
        }
        const link_colour_t *c = &leds->palette[index];
        bool is_second = ((leds->second >> index) & 1) != 0;
        palette[index][0] = scaled(is_second ? c->red2 : c->red, scale);
        palette[index][1] = scaled(is_second ? c->green2 : c->green, scale);
        palette[index][2] = scaled(is_second ? c->blue2 : c->blue, scale);
    }
    bool is_whole = true;
    if (leds->changed_end != 0) {
        chip_probe(PROBE_LEDS_BEGIN);
        is_whole = hal_leds_out(leds->colours, leds->changed_end, (const uint8_t(*)[3])palette, watched);
        chip_probe(PROBE_LEDS_END);
    }
    if (is_whole) {
        leds->changed_end = 0;
    }
    return is_whole;
}

bool leds_set_dark(struct leds *leds, bool is_dark)
{
    if (leds->is_dark == is_dark) {
        return false;
    }
    leds->is_dark = is_dark;
    colours_changed(leds, lit_colours(leds));
    return true;
}

bool leds_tick(struct leds *leds)
{
    uint16_t second = 0;
    leds->tick++;
    for (uint8_t index = 0; index < LINK_PALETTE_SIZE; index++) {
        uint8_t period = leds->palette[index].period;
        if (period != 0 && leds->used[index] != 0) {
            uint8_t place = (uint8_t)((uint16_t)(leds->tick + leds->palette[index].phase) % period);
            second = (uint16_t)(second | (uint16_t)(place >= (period + 1) / 2) << index);
        }
    }
    if (second == leds->second) {
        return false;
    }
    colours_changed(leds, leds->second ^ second);
    leds->second = second;
    return !leds->is_dark;
}
