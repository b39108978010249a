/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs to LEDs and buzzer: WS2812 bits decoded from the pin with their waveform, and the tone's pitch.
 *
 * A level counts from the cycle in which the instruction that sets it begins: OUT against SBI may be off by one.
 * Source: WS2812B data sheet (T0H 0.4 us, T1H 0.8 us, each within 150 ns); a low of 250 us latches.
 */
#include <string.h>

#include "parts.h"

static uint64_t cycles_of_ns(const struct sim *sim, uint64_t ns)
{
    return ns * sim->topology.clock_hz / 1000000000;
}

static void widen(uint32_t *low, uint32_t *high, uint64_t value)
{
    if (!*low || value < *low)
        *low = (uint32_t)value;
    if (value > *high)
        *high = (uint32_t)value;
}

static void close_image(struct sim *sim)
{
    struct leds *leds = &sim->leds;
    struct image *image = &leds->images[leds->finished % IMAGES];
    leds->is_open = false;
    image->end = leds->fell_at;
    leds->finished++;
    record(sim, SIM_LED_LAST, image->end, (uint32_t)image->count);
}

static bool is_latched(const struct sim *sim, uint64_t now)
{
    const struct leds *leds = &sim->leds;
    return leds->is_open && !leds->level && now - leds->fell_at > cycles_of_ns(sim, 250000);
}

void leds_settle(struct sim *sim)
{
    if (is_latched(sim, sim->avr->cycle))
        close_image(sim);
}

static void rise(struct sim *sim, uint64_t now)
{
    struct leds *leds = &sim->leds;
    if (is_latched(sim, now))
        close_image(sim);
    if (!leds->is_open) {
        struct image *image = &leds->images[leds->finished % IMAGES];
        image->begin = now;
        image->count = 0;
        leds->bit_count = 0;
        leds->is_open = true;
    } else {
        widen(&leds->waveform.low_min, &leds->waveform.low_max, now - leds->fell_at);
    }
    leds->rose_at = now;
}

static void fall(struct sim *sim, uint64_t now)
{
    struct leds *leds = &sim->leds;
    const uint64_t high = now - leds->rose_at;
    const bool bit = high > cycles_of_ns(sim, 500);
    if (!leds->is_open)  /* high since before the first rise we saw */
        return;
    leds->waveform.bits++;
    if (bit)
        widen(&leds->waveform.one_high_min, &leds->waveform.one_high_max, high);
    else
        widen(&leds->waveform.zero_high_min, &leds->waveform.zero_high_max, high);
    leds->fell_at = now;
    leds->byte = (uint8_t)(leds->byte << 1 | bit);
    if (++leds->bit_count % 8)
        return;
    struct image *image = &leds->images[leds->finished % IMAGES];
    if (image->count == 0)
        record(sim, SIM_LED_FIRST, now, leds->byte);
    if (image->count < SIM_IMAGE_BYTES)
        image->bytes[image->count++] = leds->byte;
}

static void on_led(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct sim *sim = param;
    const bool level = value & 1;
    if (level == sim->leds.level)
        return;
    if (level)
        rise(sim, sim->avr->cycle);
    else
        fall(sim, sim->avr->cycle);
    sim->leds.level = level;  /* not before: a rise looks at the low time that it ends */
}

/* A timer's output reaches its pin twice in simavr, both times before the pin's last level is noted: so it is noted here. */
static void on_tone(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct sim *sim = param;
    const bool is_high = value & 1;
    (void)irq;
    if (is_high && !sim->is_tone_high)
        sim->tone_edges[sim->tone_count++ % TONE_EDGES] = sim->avr->cycle;
    sim->is_tone_high = is_high;
}

bool leds_attach(struct sim *sim)
{
    watch_pin(sim, sim->topology.led_pin, on_led);
    watch_pin(sim, sim->topology.tone_pin, on_tone);
    return true;
}

uint64_t sim_image_count(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    leds_settle(sim);
    const uint64_t count = sim->leds.finished;
    pthread_mutex_unlock(&sim->lock);
    return count;
}

int sim_image(struct sim *sim, uint64_t index, uint8_t *bytes, size_t room, uint64_t *begin, uint64_t *end)
{
    pthread_mutex_lock(&sim->lock);
    const struct leds *leds = &sim->leds;
    const struct image *image = &leds->images[index % IMAGES];
    /* the slot after the newest finished image may already be filling */
    const bool is_kept = index < leds->finished && index + IMAGES > leds->finished + leds->is_open - 1
                         && image->count <= room;
    if (is_kept) {
        memcpy(bytes, image->bytes, image->count);
        *begin = image->begin;
        *end = image->end;
    }
    const int count = is_kept ? (int)image->count : -1;
    pthread_mutex_unlock(&sim->lock);
    return count;
}

void sim_waveform(struct sim *sim, struct sim_waveform *waveform)
{
    pthread_mutex_lock(&sim->lock);
    *waveform = sim->leds.waveform;
    pthread_mutex_unlock(&sim->lock);
}

/* Pitch over the last eight periods; 0 when the pin has been quiet for 50 ms, or has not yet made that many. */
uint32_t sim_tone_millihertz(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    const uint64_t newest = sim->tone_edges[(sim->tone_count + TONE_EDGES - 1) % TONE_EDGES];
    const uint64_t oldest = sim->tone_edges[sim->tone_count % TONE_EDGES];
    const bool is_quiet = sim->avr->cycle - newest > cycles_of_ns(sim, 50000000);
    uint32_t pitch = 0;
    if (sim->tone_count >= TONE_EDGES && !is_quiet)
        pitch = (uint32_t)((TONE_EDGES - 1) * 1000ull * sim->topology.clock_hz / (newest - oldest));
    pthread_mutex_unlock(&sim->lock);
    return pitch;
}
