/* SPDX-License-Identifier: Apache-2.0
 *
 * Debouncing, symmetric or not, deferred, per input: an edge counts once its input has been stable for the
 * debounce time, and is stamped with the first raw change of its burst.
 *
 * Rule: edges are reported in the order of their stamps, even if one input takes longer to settle than
 * another; so an accepted edge waits for older bursts that are still open. A burst that lasts longer than
 * CHATTER_MS does not block others: it moves to the end of the list with a new stamp and is counted.
 * A magnet at the edge of its reed makes it chatter for tens of milliseconds, and a pause in it is no edge. So an input that
 * still changes after BOUNCE_MS, NOISY_CHANGES times at least, or that reverses less than RECENT_MS after its last burst ended,
 * has to be stable for NOISY_EXTRA_MS longer. Ordinary bounces are over before, and a hand reverses later.
 * Only inputs in a burst need memory. While the list is full further inputs wait; one that returns to its level
 * before it has a place is counted as lost.
 */
#ifndef CORE_DEBOUNCE_H
#define CORE_DEBOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"
#include "hal/hal.h"

#define CHATTER_MS 64
/* Samples that prove observation, not just equality of two samples with LED output in between. */
#define CALM_SAMPLES 3
#define NOISY_CHANGES 3
#define NOISY_EXTRA_MS 12
/* Ordinary bounces last up to 3 ms; scans of a millisecond may see one more. */
#define BOUNCE_MS 4
#define RECENT_MS 20
/* Number of changes of a burst that begins so soon after another of its input. */
#define SOON_CHANGES (NOISY_CHANGES + 1)
#define RECENT_LIST (CHIP_BOUNCE_LIST / 4)

struct burst {
    uint16_t input;      /* bit of the raw image */
    uint16_t first_ms;   /* first raw change */
    uint16_t changed_ms; /* last raw change */
    uint8_t samples;     /* equal raw samples since */
    uint8_t changes;     /* raw changes after the first, up to NOISY_CHANGES; or SOON_CHANGES */
    bool goal;           /* level the burst leads to if it is an edge */
    bool raw;
    bool is_accepted;
};

struct recent {
    uint16_t input;
    uint16_t ended_ms;
    bool is_used;
};

struct debounce {
    struct levels levels;
    uint8_t waiting[RAW_BYTES]; /* for a place in the list */
    struct burst list[CHIP_BOUNCE_LIST]; /* by first_ms */
    struct recent recent[RECENT_LIST]; /* the bursts that ended last */
    uint8_t recent_next;
    uint8_t count;
    uint8_t taken; /* at the front of the list, to be dropped with the next scan */
    uint16_t chatter; /* bursts that did not end, since start; wraps */
    uint16_t chatter_input; /* bit of the raw image */
    uint8_t lost; /* edges lost since this was set to 0; saturates */
};

/* Use `raw` as the initial levels. */
void debounce_init(struct debounce *d, const uint8_t *raw);

/* Process one scan. */
void debounce_scan(struct debounce *d, const uint8_t *raw, uint16_t now_ms, uint8_t on_ms, uint8_t off_ms);

/* False while a burst may be about to end: it does not chatter, or not in the last `pause_ms`. */
bool debounce_is_calm(const struct debounce *d, uint16_t now_ms, uint16_t pause_ms);

/* True if an edge is due; `edge` then has its input, goal and first_ms. */
bool debounce_take(struct debounce *d, struct burst *edge);

#endif
