/* SPDX-License-Identifier: Apache-2.0
 *
 * USART0 as the data sheet has it: two received bytes deep plus the shift register, then bytes are lost;
 * one byte buffered for sending; ten bit times a byte at the true rate.
 *
 * Replaces libsimavr's own (64 bytes deep, eleven bit times), whose register callbacks are overwritten.
 * Source: ATmega328P data sheet, section 20; the registers of USART0 are laid out alike on the 2560.
 */
#include "parts.h"

enum { FLAG_U2X = 0x02, FLAG_UPE = 0x04, FLAG_DOR = 0x08, FLAG_FE = 0x10, FLAG_UDRE = 0x20, FLAG_TXC = 0x40, FLAG_RXC = 0x80 };
enum { WRITABLE_A = 0x03, RATE_TOLERANCE = 22 };  /* 1/22 = 4.5 %, what ten bits can bear */

static uint64_t chip_byte_cycles(struct sim *sim)
{
    const avr_uart_t *io = sim->uart.io;
    const uint8_t *data = sim->avr->data;
    const uint32_t divider = (uint32_t)(data[io->ubrrl.reg] | (data[io->ubrrh.reg] & 0x0F) << 8) + 1;
    return 10u * divider * (data[io->r_ucsra] & FLAG_U2X ? 8 : 16);
}

static uint64_t host_byte_cycles(struct sim *sim)
{
    const uint32_t baud = sim->topology.line_baud;
    return (10ull * sim->topology.clock_hz + baud / 2) / baud;
}

static bool rates_differ(struct sim *sim)
{
    const uint64_t chip = chip_byte_cycles(sim), host = host_byte_cycles(sim);
    return (chip > host ? chip - host : host - chip) * RATE_TOLERANCE > host;
}

void uart_levels(struct sim *sim)
{
    struct uart *uart = &sim->uart;
    set_level_interrupt(sim, &uart->io->rxc, uart->fifo_count > 0);
    set_level_interrupt(sim, &uart->io->udrc, !uart->buffer_full);
    set_level_interrupt(sim, &uart->io->txc, uart->tx_done);
}

static uint8_t read_status(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    const struct uart *uart = &((struct sim *)param)->uart;
    uint8_t status = avr->data[address] & WRITABLE_A;
    if (uart->fifo_count)
        status |= FLAG_RXC | uart->fifo[0].flags;
    if (!uart->buffer_full)
        status |= FLAG_UDRE;
    if (uart->tx_done)
        status |= FLAG_TXC;
    avr->data[address] = status;
    return status;
}

static void write_status(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct sim *sim = param;
    if (value & FLAG_TXC)
        sim->uart.tx_done = false;
    if (value & (FLAG_FE | FLAG_DOR | FLAG_UPE))
        sim->counts.error_flag_writes++;
    avr->data[address] = value & WRITABLE_A;
    uart_levels(sim);
}

static void write_control(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct sim *sim = param;
    avr->data[address] = value;
    if (!avr_regbit_get(avr, sim->uart.io->rxen)) {
        sim->uart.fifo_count = 0;
        sim->uart.has_waiting = false;
    }
    uart_levels(sim);
}

static void into_fifo(struct uart *uart, uint8_t byte, uint8_t flags)
{
    uart->fifo[uart->fifo_count].byte = byte;
    uart->fifo[uart->fifo_count++].flags = flags;
}

static uint8_t read_data(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    struct sim *sim = param;
    struct uart *uart = &sim->uart;
    const uint8_t byte = uart->fifo[0].byte;
    if (uart->fifo_count) {
        uart->fifo[0] = uart->fifo[1];
        uart->fifo_count--;
    }
    if (uart->has_waiting) {
        into_fifo(uart, uart->waiting.byte, uart->waiting.flags);
        uart->has_waiting = false;
    }
    uart_levels(sim);
    avr->data[address] = byte;
    return byte;
}

static void arrive(struct sim *sim)
{
    struct uart *uart = &sim->uart;
    sim->counts.line_in++;
    record(sim, SIM_LINE_IN, sim->avr->cycle, uart->arriving);
    if (!avr_regbit_get(sim->avr, uart->io->rxen)) {
        sim->counts.rx_disabled++;
        return;
    }
    uint8_t flags = uart->lost_flags, byte = uart->arriving;
    uart->lost_flags = 0;
    if (rates_differ(sim)) {
        sim->counts.garbled++;
        byte ^= 0x5A;
        flags |= FLAG_FE;
    }
    if (uart->fifo_count < 2) {
        into_fifo(uart, byte, flags);
        uart_levels(sim);
    } else {
        uart->waiting.byte = byte;
        uart->waiting.flags = flags;
        uart->has_waiting = true;
    }
}

/* A start bit while a byte still waits in the shift register: that byte is overrun. */
static void begin_arriving(struct sim *sim)
{
    struct uart *uart = &sim->uart;
    uart->is_receiving = true;
    if (uart->has_waiting) {
        uart->has_waiting = false;
        uart->lost_flags = FLAG_DOR;
        sim->counts.rx_overruns++;
    }
}

static avr_cycle_count_t line_tick(struct avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr;
    struct sim *sim = param;
    struct uart *uart = &sim->uart;
    struct line_byte next;
    if (uart->is_receiving) {
        uart->is_receiving = false;
        arrive(sim);
    } else if (uart->gap_over) {
        uart->gap_over = false;
        begin_arriving(sim);
        return when + host_byte_cycles(sim);
    }
    if (!line_pop(sim, &sim->to_chip, &next)) {
        uart->rx_armed = false;
        return 0;
    }
    uart->arriving = next.byte;
    if (next.release) {
        uart->gap_over = true;
        return when + next.release;
    }
    begin_arriving(sim);
    return when + host_byte_cycles(sim);
}

void uart_line_has_bytes(struct sim *sim)
{
    if (sim->uart.rx_armed || !sim->to_chip.count)
        return;
    sim->uart.rx_armed = true;
    avr_cycle_timer_register(sim->avr, 1, line_tick, sim);
}

static void begin_sending(struct sim *sim, uint8_t byte)
{
    sim->uart.shifting = true;
    sim->uart.shift_byte = byte;
    sim->uart.shift_began = sim->avr->cycle;
}

static void leave(struct sim *sim, uint8_t byte)
{
    sim->counts.line_out++;
    record(sim, SIM_LINE_OUT, sim->avr->cycle, byte);
    line_push(sim, &sim->to_host, byte);
}

static avr_cycle_count_t byte_sent(struct avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr;
    struct sim *sim = param;
    struct uart *uart = &sim->uart;
    const bool is_garbled = rates_differ(sim);
    sim->counts.garbled += is_garbled;
    leave(sim, uart->shift_byte ^ (is_garbled ? 0x33 : 0));
    uart->shifting = false;
    if (!uart->buffer_full) {
        uart->tx_done = true;
        uart_levels(sim);
        return 0;
    }
    uart->buffer_full = false;
    begin_sending(sim, uart->buffer_byte);
    uart_levels(sim);
    return when + chip_byte_cycles(sim);
}

static void write_data(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)address;
    struct sim *sim = param;
    struct uart *uart = &sim->uart;
    if (!avr_regbit_get(avr, uart->io->txen))
        return;
    if (uart->buffer_full) {
        sim->counts.tx_overwrites++;
        return;
    }
    if (uart->shifting) {
        uart->buffer_full = true;
        uart->buffer_byte = value;
    } else {
        begin_sending(sim, value);
        avr_cycle_timer_register(avr, chip_byte_cycles(sim), byte_sent, sim);
    }
    uart_levels(sim);
}

bool uart_attach(struct sim *sim)
{
    avr_t *avr = sim->avr;
    avr_uart_t *io = find_module(sim, "uart", '0');
    if (!io)
        return false;
    sim->uart.io = io;
    io->flags = 0;
    avr->io[AVR_DATA_TO_IO(io->r_udr)].r.c = read_data;
    avr->io[AVR_DATA_TO_IO(io->r_udr)].w.c = write_data;
    avr->io[AVR_DATA_TO_IO(io->r_ucsra)].r.c = read_status;
    avr->io[AVR_DATA_TO_IO(io->r_ucsra)].w.c = write_status;
    avr->io[AVR_DATA_TO_IO(io->r_ucsrb)].w.c = write_control;
    avr->io[AVR_DATA_TO_IO(io->ubrrl.reg)].w.c = NULL;
    avr->io[AVR_DATA_TO_IO(io->r_udr)].r.param = avr->io[AVR_DATA_TO_IO(io->r_udr)].w.param = sim;
    avr->io[AVR_DATA_TO_IO(io->r_ucsra)].r.param = avr->io[AVR_DATA_TO_IO(io->r_ucsra)].w.param = sim;
    avr->io[AVR_DATA_TO_IO(io->r_ucsrb)].w.param = sim;
    return true;
}

/* The chip stops in the middle of a byte: TXD rises, and the host reads ones for the rest. */
void uart_reset(struct sim *sim)
{
    struct uart *uart = &sim->uart;
    if (uart->shifting) {
        const uint64_t bits = (sim->avr->cycle - uart->shift_began) * 10 / host_byte_cycles(sim);
        leave(sim, (uint8_t)(uart->shift_byte | (bits > 8 ? 0 : 0xFF << (bits ? bits - 1 : 0))));
    }
    uart->fifo_count = uart->lost_flags = 0;
    uart->has_waiting = uart->shifting = uart->buffer_full = uart->tx_done = false;
    if (uart->rx_armed)  /* the host goes on talking to a chip that is not listening */
        avr_cycle_timer_register(sim->avr, host_byte_cycles(sim), line_tick, sim);
}
