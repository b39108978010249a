/* SPDX-License-Identifier: Apache-2.0
 *
 * The SPI master at its true speed: eight bits of `divider` cycles, received byte double-buffered.
 *
 * Replaces libsimavr's own, which takes 100 us for every byte. The shift registers hang on it, see inputs.c.
 * Source: ATmega328P data sheet, section 19.
 */
#include "parts.h"

static uint32_t divider(struct sim *sim)
{
    avr_spi_t *io = sim->spi.io;
    static const uint8_t exponent[8] = {2, 4, 6, 7, 1, 3, 5, 6};  /* SPI2X, SPR1, SPR0 */
    return 1u << exponent[avr_regbit_get_array(sim->avr, io->spr, 3)];
}

static avr_cycle_count_t byte_shifted(struct avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct sim *sim = param;
    struct spi *spi = &sim->spi;
    spi->is_busy = spi->flag_seen = false;
    spi->received = chain_exchange(sim, spi->sending);
    avr_raise_interrupt(avr, &spi->io->spi);
    return 0;
}

/* The flag falls when the data register is touched after the flag has been seen. */
static void clear_flag(struct sim *sim)
{
    if (sim->spi.flag_seen)
        avr_regbit_clear(sim->avr, sim->spi.io->spi.raised);
    sim->spi.flag_seen = false;
}

static uint8_t read_status(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    struct sim *sim = param;
    if (avr_regbit_get(avr, sim->spi.io->spi.raised))
        sim->spi.flag_seen = true;
    return avr->data[address];
}

static void write_status(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)param;
    avr->data[address] = (uint8_t)((avr->data[address] & 0xFE) | (value & 0x01));  /* only SPI2X is writable */
}

static uint8_t read_data(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    struct sim *sim = param;
    clear_flag(sim);
    avr->data[address] = sim->spi.received;
    return sim->spi.received;
}

static void write_data(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)address;
    struct sim *sim = param;
    struct spi *spi = &sim->spi;
    clear_flag(sim);
    if (!avr_regbit_get(avr, spi->io->spe) || !avr_regbit_get(avr, spi->io->mstr))
        return;
    if (spi->is_busy) {
        sim->counts.spi_collisions++;
        return;
    }
    const struct port *port = &sim->ports[spi->ss_pin / 8];
    const uint8_t ss = (uint8_t)(1u << spi->ss_pin % 8);
    if (!((avr->data[port->io->r_ddr] | avr->data[port->io->r_port]) & ss))
        sim->counts.spi_floating_ss++;  /* a low SS input would throw the chip out of master mode */
    spi->is_busy = true;
    spi->sending = value;
    avr_cycle_timer_register(avr, 8 * divider(sim), byte_shifted, sim);
}

bool spi_attach(struct sim *sim)
{
    avr_t *avr = sim->avr;
    avr_spi_t *io = find_module(sim, "spi", 0);
    if (!io)
        return false;
    sim->spi.io = io;
    sim->spi.ss_pin = sim->entry_cycles == 5 ? 8 + 0 : 8 + 2;  /* PB0 on the 2560, PB2 on the 328P */
    avr->io[AVR_DATA_TO_IO(io->r_spdr)].r.c = read_data;
    avr->io[AVR_DATA_TO_IO(io->r_spdr)].w.c = write_data;
    avr->io[AVR_DATA_TO_IO(io->r_spsr)].r.c = read_status;
    avr->io[AVR_DATA_TO_IO(io->r_spsr)].w.c = write_status;
    avr->io[AVR_DATA_TO_IO(io->r_spdr)].r.param = avr->io[AVR_DATA_TO_IO(io->r_spdr)].w.param = sim;
    avr->io[AVR_DATA_TO_IO(io->r_spsr)].r.param = avr->io[AVR_DATA_TO_IO(io->r_spsr)].w.param = sim;
    return true;
}

void spi_reset(struct sim *sim)
{
    sim->spi.is_busy = sim->spi.flag_seen = false;
    sim->spi.received = 0;
}
