/* SPDX-License-Identifier: Apache-2.0
 *
 * The EEPROM: how often each cell was written, and the 3.4 ms for which EEPE stands.
 *
 * libsimavr's model does the storing; it forgets to stay busy.
 * Source: ATmega328P data sheet, table 8-1 (26 368 cycles of the 8 MHz oscillator are 3.3 ms; 3.4 ms is typical).
 */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { EEPE = 0x02, EEMPE = 0x04, WRITE_US = 3400 };

static avr_cycle_count_t write_over(struct avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct sim *sim = param;
    sim->eeprom.is_busy = false;
    avr->data[sim->eeprom.io->r_eecr] &= (uint8_t)~EEPE;
    return 0;
}

static void write_control(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct sim *sim = param;
    struct eeprom *eeprom = &sim->eeprom;
    const bool begins = value & EEPE && avr->data[address] & EEMPE;
    if (begins && eeprom->is_busy) {
        sim->counts.eeprom_collisions++;
        return;
    }
    eeprom->write(avr, address, value, eeprom->write_param);
    if (begins) {
        const uint16_t cell = (uint16_t)(avr->data[eeprom->io->r_eearl] | avr->data[eeprom->io->r_eearh] << 8);
        eeprom->busy_address = cell % eeprom->io->size;
        eeprom->wear[eeprom->busy_address]++;
        sim->counts.eeprom_writes++;
        eeprom->is_busy = true;
        avr_cycle_timer_register_usec(avr, WRITE_US, write_over, sim);
    }
    if (eeprom->is_busy)
        avr->data[address] |= EEPE;
}

bool eeprom_attach(struct sim *sim)
{
    avr_eeprom_t *io = find_module(sim, "eeprom", 0);
    if (!io)
        return false;
    const int at = AVR_DATA_TO_IO(io->r_eecr);
    sim->eeprom.io = io;
    sim->eeprom.wear = calloc(io->size, sizeof *sim->eeprom.wear);
    sim->eeprom.write = sim->avr->io[at].w.c;
    sim->eeprom.write_param = sim->avr->io[at].w.param;
    sim->avr->io[at].w.c = write_control;
    sim->avr->io[at].w.param = sim;
    return true;
}

/* A reset does not stop a write that has begun. */
void eeprom_reset(struct sim *sim)
{
    if (!sim->eeprom.is_busy)
        return;
    sim->avr->data[sim->eeprom.io->r_eecr] |= EEPE;
    avr_cycle_timer_register_usec(sim->avr, WRITE_US, write_over, sim);
}

size_t sim_eeprom_size(struct sim *sim)
{
    return sim->eeprom.io->size;
}

void sim_eeprom_read(struct sim *sim, uint32_t address, uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&sim->lock);
    memcpy(bytes, sim->eeprom.io->eeprom + address, count);
    pthread_mutex_unlock(&sim->lock);
}

void sim_eeprom_write(struct sim *sim, uint32_t address, const uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&sim->lock);
    memcpy(sim->eeprom.io->eeprom + address, bytes, count);
    pthread_mutex_unlock(&sim->lock);
}

uint32_t sim_eeprom_wear(struct sim *sim, uint32_t address)
{
    return address < sim->eeprom.io->size ? sim->eeprom.wear[address] : 0;
}
