/* SPDX-License-Identifier: Apache-2.0
 *
 * The TWI master transmitter at its true speed, with a PCF8574 port expander on the bus.
 *
 * Replaces libsimavr's own, whose start and address take no time. Only writing is modelled: nothing is read back.
 * While the expander holds SDA low, no start is possible and a byte loses the bus; clocks on SCL's pin free it.
 * Source: ATmega328P data sheet, section 22 and table 22-2.
 */
#include <string.h>

#include "parts.h"

enum { TWSTO = 0x10, TWSTA = 0x20, TWINT = 0x80, CONTROL = 0x75 };  /* CONTROL: bits that keep what is written */
enum { BITS_BYTE = 9, BITS_START = 1 };
enum { START = 0x08, RESTART = 0x10, ADDRESS_ACK = 0x18, ADDRESS_NACK = 0x20, DATA_ACK = 0x28, DATA_NACK = 0x30,
       LOST = 0x38, IDLE = 0xF8 };

static uint32_t bit_cycles(struct sim *sim)
{
    const uint8_t *data = sim->avr->data;
    return 16u + 2u * data[sim->twi.io->r_twbr] * (1u << 2 * (data[sim->twi.io->r_twsr] & 3));
}

static int scl_pin(const struct sim *sim)
{
    return strcmp(sim->avr->mmcu, "atmega2560") == 0 ? ('D' - 'A') * 8 : ('C' - 'A') * 8 + 5;
}

void twi_levels(struct sim *sim)
{
    const avr_twi_t *io = sim->twi.io;
    set_level_interrupt(sim, &sim->twi.io->twi, sim->avr->data[io->r_twcr] & TWINT);
}

static uint8_t send_byte(struct sim *sim)
{
    struct twi *twi = &sim->twi;
    if (twi->held_clocks) {
        twi->is_started = false;
        return LOST;
    }
    const uint8_t byte = sim->avr->data[twi->io->r_twdr];
    const bool is_first = !twi->has_address;
    if (is_first) {
        twi->address = byte;
        twi->has_address = true;
    }
    const uint8_t display = sim->topology.display_address;
    const bool is_heard = display && twi->address == display << 1;
    if (is_heard && !is_first)
        lcd_expander(sim, byte);
    if (is_first)
        return is_heard ? ADDRESS_ACK : ADDRESS_NACK;
    return is_heard ? DATA_ACK : DATA_NACK;
}

static avr_cycle_count_t action_over(struct avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct sim *sim = param;
    struct twi *twi = &sim->twi;
    if (twi->held_clocks && twi->action & (TWSTA | TWSTO))
        return when + bit_cycles(sim);
    uint8_t *control = &avr->data[twi->io->r_twcr], status = IDLE;
    if (twi->action & TWSTO) {
        *control &= (uint8_t)~TWSTO;
        twi->is_started = false;
    }
    if (twi->action & TWSTA) {
        status = twi->is_started ? RESTART : START;
        twi->is_started = true;
        twi->has_address = false;
    } else if (!(twi->action & TWSTO)) {
        status = send_byte(sim);
    }
    avr->data[twi->io->r_twsr] = (uint8_t)(status | (avr->data[twi->io->r_twsr] & 3));
    if (status != IDLE)
        *control |= TWINT;
    twi_levels(sim);
    return 0;
}

static void write_control(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct sim *sim = param;
    struct twi *twi = &sim->twi;
    const uint8_t kept = avr->data[address] & TWINT;
    avr->data[address] = (uint8_t)((value & CONTROL) | (value & TWINT ? 0 : kept));
    const bool is_on = avr_regbit_get(avr, twi->io->twen);
    if (!is_on) {
        avr_cycle_timer_cancel(avr, action_over, sim);
        twi->is_started = false;
    } else if (value & TWINT && (value & (TWSTA | TWSTO) || twi->is_started)) {
        twi->action = value;
        const uint32_t bits = (value & (TWSTA | TWSTO)) ? BITS_START : BITS_BYTE;
        avr_cycle_timer_register(avr, bits * bit_cycles(sim), action_over, sim);
    }
    twi_levels(sim);
}

static void write_status(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)param;
    avr->data[address] = (uint8_t)((avr->data[address] & 0xF8) | (value & 3));
}

/* SCL was an output, which is low, and is let go. */
static void on_directions(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct sim *sim = param;
    struct twi *twi = &sim->twi;
    const uint8_t bit = (uint8_t)(1u << scl_pin(sim) % 8);
    if (twi->directions & bit && !(value & bit) && twi->held_clocks)
        twi->held_clocks--;
    twi->directions = (uint8_t)value;
}

bool twi_attach(struct sim *sim)
{
    avr_t *avr = sim->avr;
    const char port = (char)('A' + scl_pin(sim) / 8);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), IOPORT_IRQ_DIRECTION_ALL), on_directions,
                            sim);
    avr_twi_t *io = find_module(sim, "twi", 0);
    if (!io)
        return false;
    sim->twi.io = io;
    avr->io[AVR_DATA_TO_IO(io->r_twcr)].w.c = write_control;
    avr->io[AVR_DATA_TO_IO(io->r_twcr)].w.param = sim;
    avr->io[AVR_DATA_TO_IO(io->r_twsr)].w.c = write_status;
    avr->io[AVR_DATA_TO_IO(io->r_twdr)].w.c = NULL;
    avr->io[AVR_DATA_TO_IO(io->r_twdr)].r.c = NULL;
    return true;
}

void twi_reset(struct sim *sim)
{
    sim->twi.is_started = sim->twi.has_address = false;
    sim->avr->data[sim->twi.io->r_twsr] = IDLE;
}

void sim_display_hold(struct sim *sim, uint8_t clocks)
{
    pthread_mutex_lock(&sim->lock);
    sim->twi.held_clocks = clocks;
    pthread_mutex_unlock(&sim->lock);
}
