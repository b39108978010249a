/* SPDX-License-Identifier: Apache-2.0
 *
 * The serial cable between host and chip, with faults: flipped bits; lost, duplicate and late bytes.
 *
 * Rule: faults are drawn from a seed, so that a failing run can be repeated; order is never changed.
 */
#include "parts.h"

static uint32_t draw(struct line *line)
{
    line->random ^= line->random << 13;
    line->random ^= line->random >> 7;
    line->random ^= line->random << 17;
    return (uint32_t)(line->random >> 20);
}

static bool chance(struct line *line, uint32_t ppm)
{
    return ppm && draw(line) % 1000000 < ppm;
}

static void append(struct sim *sim, struct line *line, uint8_t byte, uint64_t release)
{
    if (line->count == LINE_SIZE) {
        sim->counts.tx_lost++;
        return;
    }
    line->queue[(line->head + line->count++) % LINE_SIZE] = (struct line_byte){release, byte};
}

void line_push(struct sim *sim, struct line *line, uint8_t byte)
{
    const struct sim_faults *faults = &line->faults;
    if (chance(line, faults->drop_ppm))
        return;
    if (chance(line, faults->flip_ppm))
        byte ^= (uint8_t)(1u << draw(line) % 8);
    uint64_t release = chance(line, faults->delay_ppm) ? faults->delay_cycles : 0;
    if (line == &sim->to_host) {
        release += sim->avr->cycle;
        const struct line_byte *last = &line->queue[(line->head + line->count + LINE_SIZE - 1) % LINE_SIZE];
        if (line->count && last->release > release)
            release = last->release;
    }
    append(sim, line, byte, release);
    if (chance(line, faults->twice_ppm))
        append(sim, line, byte, line == &sim->to_host ? release : 0);
}

bool line_pop(struct sim *sim, struct line *line, struct line_byte *out)
{
    if (!line->count)
        return false;
    *out = line->queue[line->head];
    if (line == &sim->to_host && out->release > sim->avr->cycle)
        return false;
    line->head = (line->head + 1) % LINE_SIZE;
    line->count--;
    return true;
}

size_t line_take(struct sim *sim, uint8_t *bytes, uint64_t *cycles, size_t room)
{
    struct line_byte next;
    size_t count = 0;
    while (count < room && line_pop(sim, &sim->to_host, &next)) {
        bytes[count] = next.byte;
        if (cycles)
            cycles[count] = next.release;
        count++;
    }
    return count;
}

void sim_feed(struct sim *sim, const uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&sim->lock);
    for (size_t index = 0; index < count; index++)
        line_push(sim, &sim->to_chip, bytes[index]);
    uart_line_has_bytes(sim);
    pthread_mutex_unlock(&sim->lock);
}

size_t sim_take(struct sim *sim, uint8_t *bytes, uint64_t *cycles, size_t room)
{
    pthread_mutex_lock(&sim->lock);
    const size_t count = line_take(sim, bytes, cycles, room);
    pthread_mutex_unlock(&sim->lock);
    return count;
}

void sim_set_faults(struct sim *sim, int towards_chip, const struct sim_faults *faults)
{
    pthread_mutex_lock(&sim->lock);
    struct line *line = towards_chip ? &sim->to_chip : &sim->to_host;
    line->faults = *faults;
    line->random = faults->seed * 0x9E3779B97F4A7C15u + 1;
    pthread_mutex_unlock(&sim->lock);
}
