/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches: a diode matrix whose rows are driven by pins or a 74HC595 chain, and whose columns are read at pins
 * or through a 74HC165 chain; and single pins for buttons and the lever.
 *
 * Rule: a level is computed when the firmware reads it, so the rise of a column needs no timers.
 * A diode sits at every switch: a closed cell joins its own row and column and nothing else.
 * A row pulls a column low at once. When it lets go, the pull-up charges the column's capacitance: the level rises
 * exponentially, and reads low until it reaches the lowest level that surely reads high.
 */
#include <math.h>
#include <string.h>

#include "parts.h"

enum { COLUMN_BYTES = SIM_COLUMNS / 8 };

static bool is_column_pulled(const struct sim *sim, uint64_t rows, int column)
{
    for (int row = 0; row < sim->topology.rows; row++)
        if (rows >> row & 1 && sim->closed[row][column / 8] >> column % 8 & 1)
            return true;
    return false;
}

static void drive_rows(struct sim *sim, uint64_t rows)
{
    if (rows == sim->rows)
        return;
    for (int column = 0; column < sim->topology.columns; column++)
        if (is_column_pulled(sim, sim->rows, column) && !is_column_pulled(sim, rows, column))
            sim->released_at[column] = sim->avr->cycle;
    sim->rows = rows;
}

static uint32_t column_pf(const struct sim *sim, int column)
{
    uint32_t pf = sim->topology.wire_pf + sim->extra_pf[column];
    for (int row = 0; row < sim->topology.rows; row++)
        if (sim->closed[row][column / 8] >> column % 8 & 1)
            pf += sim->topology.switch_pf;
    return pf;
}

/* True while a released column has not yet reached the level that surely reads high. */
static bool is_rising(struct sim *sim, int column)
{
    const struct sim_topology *topology = &sim->topology;
    if (!sim->released_at[column] || !topology->pull_up_ohm)
        return false;
    const double seconds = (double)(sim->avr->cycle - sim->released_at[column]) / topology->clock_hz;
    const double constant = topology->pull_up_ohm * 1e-12 * column_pf(sim, column);
    const double missing = (topology->supply_mv - topology->low_mv) * exp(-seconds / constant);
    if (topology->supply_mv - missing < topology->high_mv)
        return true;
    sim->released_at[column] = 0;
    return false;
}

static bool is_column_closed(struct sim *sim, int column)
{
    return is_column_pulled(sim, sim->rows, column) || is_rising(sim, column);
}

static void load_columns(struct sim *sim)
{
    const struct sim_topology *topology = &sim->topology;
    const int used = (topology->columns + 7) / 8;
    memset(sim->column_shift, topology->closed_level ? 0 : 0xFF, sizeof sim->column_shift);
    for (int column = 0; column < topology->columns; column++)
        if (is_column_closed(sim, column))
            sim->column_shift[column / 8] ^= (uint8_t)(1u << column % 8);
    for (int index = used; index < COLUMN_BYTES; index++)
        sim->column_shift[index] = 0;
    sim->column_next = 0;
}

/* One byte over SPI: into the 595 nearest to MOSI, out of the 165 nearest to MISO (input D7 comes first). */
uint8_t chain_exchange(struct sim *sim, uint8_t sent)
{
    sim->row_shift = sim->row_shift << 8 | sent;
    if (sim->topology.column_load_pin < 0)
        return 0xFF;
    if (!sim->load_level) {  /* while SH/LD is low the first chip's D7 stands on the wire and nothing moves */
        load_columns(sim);
        return sim->column_shift[0] & 0x80 ? 0xFF : 0x00;
    }
    return sim->column_next < COLUMN_BYTES ? sim->column_shift[sim->column_next++] : 0;
}

static void on_load(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct sim *sim = param;
    const bool level = value & 1;
    if (level && !sim->load_level)
        load_columns(sim);
    sim->load_level = level;
}

static void on_latch(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct sim *sim = param;
    if ((value & 1) && !(irq->value & 1))
        drive_rows(sim, sim->topology.row_active ? sim->row_shift : ~sim->row_shift);
}

static void look_at_row_pins(struct sim *sim)
{
    const struct sim_topology *topology = &sim->topology;
    uint64_t rows = 0;
    for (int row = 0; row < topology->rows && row < SIM_LINES; row++) {
        const int pin = topology->row_pin[row];
        if (pin < 0)
            continue;
        const avr_ioport_t *io = sim->ports[pin / 8].io;
        const int is_output = sim->avr->data[io->r_ddr] >> pin % 8 & 1;
        const int level = sim->avr->data[io->r_port] >> pin % 8 & 1;
        if (is_output && level == topology->row_active)
            rows |= 1ull << row;
    }
    drive_rows(sim, rows);
}

/* PORT, DDR and PIN of a port with row pins: libsimavr first, then see what the rows became. */
static void write_row_port(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct port *port = param;
    const int at = (int)(address - port->io->r_pin);  /* PIN, DDR, PORT lie in this order */
    port->write[at](avr, address, value, port->write_param[at]);
    look_at_row_pins(port->sim);
}

static void attach_row_port(struct port *port)
{
    for (int at = 0; at < 3 && !port->drives_rows; at++) {
        const int io = AVR_DATA_TO_IO(port->io->r_pin) + at;
        port->write[at] = port->sim->avr->io[io].w.c;
        port->write_param[at] = port->sim->avr->io[io].w.param;
        port->sim->avr->io[io].w.c = write_row_port;
        port->sim->avr->io[io].w.param = port;
    }
    port->drives_rows = true;
}

static uint8_t read_port(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    struct port *port = param;
    uint8_t value = port->read(avr, address, port->read_param);
    const uint8_t outputs = avr->data[port->io->r_ddr];
    struct sim *sim = port->sim;
    for (int bit = 0; bit < 8; bit++) {
        if (outputs >> bit & 1)
            continue;
        int level = port->forced[bit];
        if (level < 0 && port->column[bit] >= 0)
            level = is_column_closed(sim, port->column[bit]) == sim->topology.closed_level;
        if (level < 0)
            level = avr->data[port->io->r_port] >> bit & 1;  /* nothing outside: the pull-up, or by chance low */
        value = (uint8_t)((value & ~(1u << bit)) | (unsigned)level << bit);
    }
    avr->data[address] = value;
    return value;
}

static void attach_ports(struct sim *sim)
{
    for (int index = 0; index < PORTS; index++) {
        struct port *port = &sim->ports[index];
        port->sim = sim;
        port->io = find_module(sim, "port", (char)('A' + index));
        memset(port->forced, -1, sizeof port->forced);
        memset(port->column, -1, sizeof port->column);
        if (!port->io)
            continue;
        const int at = AVR_DATA_TO_IO(port->io->r_pin);
        port->read = sim->avr->io[at].r.c;
        port->read_param = sim->avr->io[at].r.param;
        sim->avr->io[at].r.c = read_port;
        sim->avr->io[at].r.param = port;
    }
}

static bool is_wired(const struct sim *sim, int pin)
{
    return pin < 0 || (pin / 8 < PORTS && sim->ports[pin / 8].io);
}

static bool are_pins_there(const struct sim *sim)
{
    const struct sim_topology *topology = &sim->topology;
    bool all = is_wired(sim, topology->row_latch_pin) && is_wired(sim, topology->column_load_pin)
               && is_wired(sim, topology->led_pin) && is_wired(sim, topology->tone_pin)
               && is_wired(sim, topology->lcd_rs_pin) && is_wired(sim, topology->lcd_enable_pin);
    for (int index = 0; index < SIM_LINES; index++)
        all = all && is_wired(sim, topology->row_pin[index]) && is_wired(sim, topology->column_pin[index]);
    for (int index = 0; index < 4; index++)
        all = all && is_wired(sim, topology->lcd_data_pin[index]);
    return all;
}

bool inputs_attach(struct sim *sim)
{
    const struct sim_topology *topology = &sim->topology;
    attach_ports(sim);
    if (!are_pins_there(sim))
        return false;
    watch_pin(sim, topology->column_load_pin, on_load);  /* before the latch: both may be one pin */
    watch_pin(sim, topology->row_latch_pin, on_latch);
    for (int index = 0; index < SIM_LINES; index++) {
        const int row = topology->row_pin[index], column = topology->column_pin[index];
        if (row >= 0)
            attach_row_port(&sim->ports[row / 8]);
        if (column >= 0)
            sim->ports[column / 8].column[column % 8] = (int16_t)index;
    }
    return true;
}

void inputs_reset(struct sim *sim)
{
    const bool is_chain = sim->topology.row_latch_pin < 0 && sim->topology.row_pin[0] < 0;
    sim->load_level = true;
    sim->rows = is_chain ? 1 : 0;
    memset(sim->released_at, 0, sizeof sim->released_at);
}

void sim_column(struct sim *sim, uint32_t column, uint32_t extra_pf)
{
    pthread_mutex_lock(&sim->lock);
    if (column < SIM_COLUMNS)
        sim->extra_pf[column] = extra_pf;
    pthread_mutex_unlock(&sim->lock);
}

void sim_cell(struct sim *sim, uint32_t cell, int is_closed)
{
    if (cell >= sim->topology.cells)
        return;
    pthread_mutex_lock(&sim->lock);
    const int position = sim->topology.position[cell];
    uint8_t *byte = &sim->closed[position / sim->topology.columns][position % sim->topology.columns / 8];
    const uint8_t bit = (uint8_t)(1u << position % sim->topology.columns % 8);
    *byte = (uint8_t)(is_closed ? *byte | bit : *byte & ~bit);
    record(sim, SIM_CELL, sim->avr->cycle, cell << 1 | (is_closed != 0));
    pthread_mutex_unlock(&sim->lock);
}

void sim_pin(struct sim *sim, int pin, int level)
{
    pthread_mutex_lock(&sim->lock);
    if (pin >= 0 && pin / 8 < PORTS)
        sim->ports[pin / 8].forced[pin % 8] = (int8_t)level;
    pthread_mutex_unlock(&sim->lock);
}

int sim_pin_level(struct sim *sim, int pin)
{
    if (pin < 0 || pin / 8 >= PORTS || !sim->ports[pin / 8].io)
        return -1;
    pthread_mutex_lock(&sim->lock);
    const avr_ioport_t *io = sim->ports[pin / 8].io;
    const uint8_t ddr = sim->avr->data[io->r_ddr], port = sim->avr->data[io->r_port];
    pthread_mutex_unlock(&sim->lock);
    return ddr >> pin % 8 & 1 ? port >> pin % 8 & 1 : -1;
}
