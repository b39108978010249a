/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts as on silicon: entry costs cycles, and RXC, UDRE and TWINT are levels, not edges.
 *
 * Rule: every other file raises a level through set_level_interrupt, never through libsimavr, whose queue
 * of 64 would fill while the firmware polls with interrupts off.
 */
#include <string.h>

#include "parts.h"

enum { RETI_CYCLES = 4 };

static bool is_queued(avr_int_pending_t *queue, const avr_int_vector_t *vector)
{
    for (uint16_t at = queue->read; at != queue->write; at = (uint16_t)((at + 1) & 63))
        if (queue->buffer[at] == vector)
            return true;
    return false;
}

void set_level_interrupt(struct sim *sim, avr_int_vector_t *vector, bool level)
{
    avr_t *avr = sim->avr;
    if (!vector->vector)
        return;
    if (!level || !avr_regbit_get(avr, vector->enable)) {
        vector->pending = 0;  /* a stale place in the queue is skipped when its turn comes */
        sim->vectors[vector->vector].is_raised = false;
        return;
    }
    if (vector->pending)
        return;
    if (!is_queued(&avr->interrupts.pending, vector)) {
        avr_raise_interrupt(avr, vector);
        return;
    }
    vector->pending = 1;
    avr_raise_irq(vector->irq + AVR_INT_IRQ_PENDING, 1);
    if (avr->sreg[S_I] && avr->interrupt_state == 0)
        avr->interrupt_state = 1;
}

static void on_pending(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct vector *vector = param;
    if (!value || vector->is_raised || !avr_regbit_get(vector->sim->avr, vector->io->enable))
        return;
    vector->is_raised = true;
    vector->raised_at = vector->sim->avr->cycle;
}

static void on_running(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct vector *vector = param;
    struct sim *sim = vector->sim;
    const uint64_t now = sim->avr->cycle;
    if (value) {
        const uint32_t waited = vector->is_raised ? (uint32_t)(now - vector->raised_at) : 0;
        if (waited > vector->figures.latency_cycles)
            vector->figures.latency_cycles = waited;
        vector->is_raised = false;
        vector->entered_at = now;
        sim->avr->cycle += sim->entry_cycles;
        return;
    }
    if (vector->entered_at) {
        const uint64_t busy = now + RETI_CYCLES - vector->entered_at;
        vector->figures.count++;
        vector->figures.busy_cycles += busy;
        if (busy > vector->figures.longest_cycles)
            vector->figures.longest_cycles = (uint32_t)busy;
        vector->entered_at = 0;
    }
    uart_levels(sim);
    twi_levels(sim);
}

void interrupts_attach(struct sim *sim)
{
    avr_int_table_t *table = &sim->avr->interrupts;
    sim->entry_cycles = sim->avr->address_size > 2 ? 5 : 4;  /* data sheets: a 22-bit PC takes one more push */
    for (int index = 0; index < table->vector_count; index++) {
        avr_int_vector_t *io = table->vector[index];
        if (io->vector >= SIM_VECTORS)
            continue;
        struct vector *vector = &sim->vectors[io->vector];
        vector->sim = sim;
        vector->io = io;
        avr_irq_register_notify(io->irq + AVR_INT_IRQ_PENDING, on_pending, vector);
        avr_irq_register_notify(io->irq + AVR_INT_IRQ_RUNNING, on_running, vector);
    }
}

void interrupts_reset(struct sim *sim)
{
    sim->avr->interrupts.running_ptr = 0;
    for (int index = 0; index < SIM_VECTORS; index++) {
        sim->vectors[index].is_raised = false;
        sim->vectors[index].entered_at = 0;
    }
}
