/* SPDX-License-Identifier: Apache-2.0 */
#include "core/edges.h"

#include <string.h>

#include "core/bits.h"
#include "core/crc.h"
#include "hal/hal.h"

#define NOWHERE 0xFFFFu

_Static_assert((CHIP_EDGE_RING & (CHIP_EDGE_RING - 1)) == 0, "the ring's places are numbers modulo its size");
_Static_assert(LINK_EDGES_SIZE + LINK_EDGES_PER_PACKET * LINK_EDGE_SIZE + 4 <= LINK_MAX_PACKET_SMALL, "EDGES fits");

#ifdef PANEL_CELL_OF_SENSOR
static const uint16_t cell_of_sensor[SENSOR_POSITIONS] CHIP_FLASH = PANEL_CELL_OF_SENSOR;
#define cell_of(position) chip_flash_u16(&cell_of_sensor[position])
#else
#define cell_of(position) (position)
#endif

/* Bit of the state that a bit of the raw image stands for. */
static uint16_t state_bit(uint16_t raw_input)
{
    if (raw_input >= SENSOR_BYTES * 8) {
        return (uint16_t)(raw_input - SENSOR_BYTES * 8 + CELL_BYTES * 8);
    }
    uint16_t row = raw_input / (ROW_BYTES * 8), column = raw_input % (ROW_BYTES * 8);
    if (column >= PANEL_SENSOR_COLUMNS) {
        return NOWHERE;
    }
    return cell_of((uint16_t)(row * PANEL_SENSOR_COLUMNS + column));
}

static uint16_t wire_input(uint16_t bit)
{
    if (bit == NOWHERE || bit < CELL_BYTES * 8) {
        return bit;
    }
    bit = (uint16_t)(bit - CELL_BYTES * 8);
    return bit == 15 ? (uint16_t)LINK_INPUT_LEVER : (uint16_t)(LINK_INPUT_BUTTON + bit);
}

/* Undo an edge: put the opposite of its level. */
static void undo(uint8_t *state, uint16_t input)
{
    uint16_t id = input & (uint16_t)~LINK_INPUT_LEVEL;
    uint16_t bit = id;
    if (id == LINK_INPUT_LEVER) {
        bit = CELL_BYTES * 8 + 15;
    } else if (id >= LINK_INPUT_BUTTON) {
        bit = (uint16_t)(id - LINK_INPUT_BUTTON + CELL_BYTES * 8);
    }
    bit_put(state, bit, (input & LINK_INPUT_LEVEL) == 0);
}

void edges_init(struct edges *e, const uint8_t *raw)
{
    memset(e, 0, sizeof *e);
    for (uint16_t input = 0; input < RAW_BYTES * 8; input++) {
        uint16_t bit = state_bit(input);
        if (bit != NOWHERE) {
            bit_put(e->state, bit, bit_get(raw, input));
        }
    }
}

uint16_t edges_input_of(uint16_t raw_input)
{
    return wire_input(state_bit(raw_input));
}

void edges_push(struct edges *e, uint16_t raw_input, bool level, uint32_t t_ms)
{
    uint16_t bit = state_bit(raw_input);
    if (bit == NOWHERE) {
        return;
    }
    bit_put(e->state, bit, level);
    e->newest++;
    struct edge *edge = &e->ring[e->newest % CHIP_EDGE_RING];
    edge->input = (uint16_t)(wire_input(bit) | (level ? LINK_INPUT_LEVEL : 0));
    edge->t_ms = t_ms;
    if (e->held < CHIP_EDGE_RING) {
        e->held++;
    }
    if ((uint16_t)(e->newest - e->again) > e->held) {
        e->repeats = 0; /* one of them has left the ring: the host will ask for a snapshot */
    }
}

bool edges_rewind(struct edges *e, uint16_t number)
{
    if ((uint16_t)(e->newest - number) > e->held) {
        return false;
    }
    e->sent = number;
    return true;
}

bool edges_repeat(struct edges *e, uint16_t first, uint8_t count)
{
    uint16_t before = (uint16_t)(first - 1);
    if ((uint16_t)(e->newest - before) > e->held) {
        return false;
    }
    uint16_t sent = (uint16_t)(e->sent - before); /* those not sent yet come anyway */
    e->again = before;
    e->repeats = (uint8_t)(sent >= 0x8000 ? 0 : sent < count ? sent : count);
    return true;
}

uint8_t edges_write(struct edges *e, uint8_t *payload)
{
    uint16_t last = e->repeats != 0 ? e->again : e->sent;
    uint16_t left = e->repeats != 0 ? e->repeats : edges_unsent(e);
    uint16_t first = (uint16_t)(last + 1);
    uint32_t base_ms = e->ring[first % CHIP_EDGE_RING].t_ms;
    uint8_t *out = payload + LINK_EDGES_SIZE;
    for (uint8_t n = 0; n < LINK_EDGES_PER_PACKET && left != 0; n++) {
        const struct edge *edge = &e->ring[(uint16_t)(last + 1) % CHIP_EDGE_RING];
        if (edge->t_ms - base_ms > 0xFF) {
            break;
        }
        out = link_edge_put(out, &(link_edge_t){.input = edge->input, .dt_ms = (uint8_t)(edge->t_ms - base_ms)});
        last++;
        left--;
    }
    if (e->repeats != 0) {
        e->again = last;
        e->repeats = (uint8_t)left;
    } else {
        e->sent = last;
    }
    uint8_t state[STATE_BYTES];
    memcpy(state, e->state, STATE_BYTES);
    for (uint16_t number = e->newest; number != last; number--) {
        undo(state, e->ring[number % CHIP_EDGE_RING].input);
    }
    link_edges_put(payload, &(link_edges_t){.first = first, .t_ms = base_ms, .state_crc = crc_of(state, STATE_BYTES)});
    return (uint8_t)(out - payload);
}

uint16_t edges_state_crc(const struct edges *e)
{
    return crc_of(e->state, STATE_BYTES);
}
