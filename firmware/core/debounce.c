/* SPDX-License-Identifier: Apache-2.0 */
#include "core/debounce.h"

#include <string.h>

#include "core/bits.h"

void debounce_init(struct debounce *d, const uint8_t *raw)
{
    memcpy(d->levels.stable, raw, RAW_BYTES);
    memset(d->levels.in_burst, 0, RAW_BYTES);
    memset(d->waiting, 0, RAW_BYTES);
    memset(d->recent, 0, sizeof d->recent);
    d->recent_next = 0;
    d->lost = 0;
    d->count = 0;
    d->taken = 0;
}

static bool is_recent(const struct debounce *d, uint16_t input, uint16_t now_ms)
{
    for (uint8_t at = 0; at < RECENT_LIST; at++) {
        const struct recent *recent = &d->recent[at];
        if (recent->is_used && recent->input == input && (uint16_t)(now_ms - recent->ended_ms) < RECENT_MS) {
            return true;
        }
    }
    return false;
}

/* A burst that lasts longer than contacts bounce, or begins soon after another. */
static bool is_noisy(const struct burst *burst)
{
    bool is_long = (uint16_t)(burst->changed_ms - burst->first_ms) > BOUNCE_MS;
    return burst->changes == SOON_CHANGES || (burst->changes == NOISY_CHANGES && is_long);
}

static void append(struct debounce *d, uint16_t input, bool raw, uint16_t now_ms)
{
    struct burst *burst = &d->list[d->count++];
    burst->input = input;
    burst->first_ms = now_ms;
    burst->changed_ms = now_ms;
    burst->samples = 0;
    burst->changes = is_recent(d, input, now_ms) ? SOON_CHANGES : 0;
    burst->goal = !bit_get(d->levels.stable, input);
    burst->raw = raw;
    burst->is_accepted = false;
}

static void drop(struct debounce *d, uint8_t index, uint8_t count)
{
    d->count = (uint8_t)(d->count - count);
    memmove(&d->list[index], &d->list[index + count], (size_t)(d->count - index) * sizeof d->list[0]);
}

static void find_bursts(struct debounce *d, const uint8_t *raw, uint16_t now_ms)
{
    for (uint8_t at = 0; at < RAW_BYTES; at++) {
        uint8_t fresh = (uint8_t)((raw[at] ^ d->levels.stable[at]) & (uint8_t)~d->levels.in_burst[at]);
        if ((d->waiting[at] & (uint8_t)~fresh) != 0 && d->lost < 0xFF) {
            d->lost++;
        }
        d->waiting[at] = fresh;
        for (uint8_t bit = 0; bit < 8 && d->waiting[at] != 0; bit++) {
            if ((fresh & bit_mask(bit)) == 0 || d->count == CHIP_BOUNCE_LIST) {
                continue;
            }
            d->waiting[at] &= (uint8_t)~bit_mask(bit);
            uint16_t input = (uint16_t)(at * 8u + bit);
            bit_put(d->levels.in_burst, input, true);
            append(d, input, bit_get(raw, input), now_ms);
            chip_probe(PROBE_RAW_SEEN);
        }
    }
}

static void remember(struct debounce *d, uint16_t input, uint16_t now_ms)
{
    d->recent[d->recent_next] = (struct recent){input, now_ms, true};
    d->recent_next = (uint8_t)((d->recent_next + 1u) % RECENT_LIST);
}

/* Advance one burst; true if it ended without an edge, or has moved to the end of the list. */
static bool follow(struct debounce *d, struct burst *burst, const uint8_t *raw, uint16_t now_ms, uint8_t calm_ms)
{
    uint16_t input = burst->input;
    bool level = bit_get(raw, input);
    if (level != burst->raw) {
        burst->raw = level;
        burst->changed_ms = now_ms;
        burst->samples = 1;
        burst->changes = (uint8_t)(burst->changes + (burst->changes < NOISY_CHANGES ? 1 : 0));
        if ((uint16_t)(now_ms - burst->first_ms) < CHATTER_MS) {
            return false;
        }
        d->chatter++;
        d->chatter_input = input;
        remember(d, input, now_ms);
        drop(d, (uint8_t)(burst - d->list), 1);
        append(d, input, level, now_ms);
        return true;
    }
    if (burst->samples < CALM_SAMPLES) {
        burst->samples++;
    }
    uint8_t wanted_ms = (uint8_t)(calm_ms + (is_noisy(burst) ? NOISY_EXTRA_MS : 0));
    if (burst->samples < CALM_SAMPLES || (uint16_t)(now_ms - burst->changed_ms) < wanted_ms) {
        return false;
    }
    bit_put(d->levels.in_burst, input, false);
    remember(d, input, now_ms);
    if (level != burst->goal) {
        drop(d, (uint8_t)(burst - d->list), 1);
        return true;
    }
    bit_put(d->levels.stable, input, level);
    burst->is_accepted = true;
    chip_probe(PROBE_DEBOUNCED);
    return false;
}

void debounce_scan(struct debounce *d, const uint8_t *raw, uint16_t now_ms, uint8_t on_ms, uint8_t off_ms)
{
    if (d->taken != 0) {
        drop(d, 0, d->taken);
        d->taken = 0;
    }
    find_bursts(d, raw, now_ms);
    uint8_t unseen = d->count;
    for (uint8_t index = 0; unseen > 0; unseen--) {
        struct burst *burst = &d->list[index];
        uint8_t calm_ms = bit_get(raw, burst->input) ? on_ms : off_ms;
        if (burst->is_accepted || !follow(d, burst, raw, now_ms, calm_ms)) {
            index++;
        }
    }
}

bool debounce_is_calm(const struct debounce *d, uint16_t now_ms, uint16_t pause_ms)
{
    for (uint8_t at = 0; at < d->count; at++) {
        const struct burst *burst = &d->list[at];
        bool is_chattering = is_noisy(burst) && (uint16_t)(now_ms - burst->changed_ms) < pause_ms;
        if (!burst->is_accepted && !is_chattering) {
            return false;
        }
    }
    return true;
}

bool debounce_take(struct debounce *d, struct burst *edge)
{
    if (d->taken == d->count || !d->list[d->taken].is_accepted) {
        return false;
    }
    *edge = d->list[d->taken++];
    return true;
}
