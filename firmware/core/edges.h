/* SPDX-License-Identifier: Apache-2.0
 *
 * The last edges, numbered, and the state they led to.
 *
 * Rule: an edge leaves the ring only when a newer one needs its place, and never before it was sent.
 */
#ifndef CORE_EDGES_H
#define CORE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"

struct edge {
    uint16_t input; /* as on the wire, bit 15 is the level */
    uint32_t t_ms;
};

struct edges {
    uint8_t state[STATE_BYTES]; /* after the newest edge: cells, then buttons and lever */
    struct edge ring[CHIP_EDGE_RING];
    uint16_t newest; /* number of the newest edge, 0 before the first */
    uint16_t sent;   /* number of the last edge sent */
    uint8_t held;    /* edges in the ring */
    uint16_t again;  /* number before the next edge to be repeated */
    uint8_t repeats; /* edges to be repeated */
};

/* Initialise with the debounced raw image. */
void edges_init(struct edges *e, const uint8_t *raw);

/* Add an edge of an input of the raw image. Only while fewer than CHIP_EDGE_RING edges are unsent. */
void edges_push(struct edges *e, uint16_t raw_input, bool level, uint32_t t_ms);

/* The link's number of an input of the raw image; 0xFFFF without a switch. */
uint16_t edges_input_of(uint16_t raw_input);

/* Go back so that the edges after `number` are sent again; false if the ring no longer has them all. */
bool edges_rewind(struct edges *e, uint16_t number);

/* Send `count` edges from `first` on again, before any new ones; false if the ring no longer has them all. */
bool edges_repeat(struct edges *e, uint16_t first, uint8_t count);

static inline uint16_t edges_unsent(const struct edges *e)
{
    return (uint16_t)(e->newest - e->sent);
}

static inline bool edges_are_due(const struct edges *e)
{
    return e->repeats != 0 || edges_unsent(e) != 0;
}

/* Write the payload of the next EDGES packet and count its edges as sent; returns its length, at most
 * LINK_MAX_PACKET_SMALL - 4. Only if edges_are_due. */
uint8_t edges_write(struct edges *e, uint8_t *payload);

/* CRC of the state after the newest edge. */
uint16_t edges_state_crc(const struct edges *e);

#endif
