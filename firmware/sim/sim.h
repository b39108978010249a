/* SPDX-License-Identifier: Apache-2.0
 *
 * A panel in virtual time: the real ELF on libsimavr, with everything that is soldered round the chip.
 *
 * Rule: this is the only interface the tests see (tests/firmware/simulator.py mirrors it by ctypes).
 * All times are CPU cycles since power-up; a pin is (port letter - 'A') * 8 + bit, and -1 where nothing is wired.
 */
#ifndef COMPANION_SIM_H
#define COMPANION_SIM_H

#include <stddef.h>
#include <stdint.h>

enum {
    SIM_CELLS = 1024,
    SIM_ROWS = 64,
    SIM_COLUMNS = 1024,
    SIM_LINES = 32,
    SIM_VECTORS = 64,
    SIM_IMAGE_BYTES = 4096,
};

/* The wiring. A plain 74HC165 chain is a matrix with one row that is always driven. */
struct sim_topology {
    uint32_t clock_hz;
    uint32_t line_baud;          /* of the host's end of the serial line */
    uint16_t cells, rows, columns;
    uint16_t channel_cycles;     /* a multiplexer takes so long to change channels */
    uint8_t row_active;          /* level that selects a row */
    uint8_t closed_level;        /* level a column shows for a closed switch */
    uint8_t display_address;     /* 7-bit address of a PCF8574 with an HD44780 behind it; 0: none */
    uint8_t spare;
    int16_t row_pin[SIM_LINES], column_pin[SIM_LINES];
    int16_t row_latch_pin;       /* RCLK of a 74HC595 chain on SPI that drives the rows */
    int16_t column_load_pin;     /* SH/LD of a 74HC165 chain on SPI that reads the columns */
    int16_t led_pin, tone_pin;
    int16_t lcd_rs_pin, lcd_enable_pin, lcd_data_pin[4];  /* an HD44780 in four-bit mode, D4 first */
    int16_t select_pin[4];       /* S0..S3 of 74HC4067 multiplexers: row r's hall sensors come in on ADC channel r */
    int16_t position[SIM_CELLS]; /* of each cell: row * columns + column */
    /* A column: a pull-up resistor to the supply that charges the wire, and the diodes of closed switches. */
    uint32_t pull_up_ohm;
    uint16_t wire_pf, switch_pf;
    uint16_t supply_mv, low_mv, high_mv;  /* supply; a column pulled low; the lowest level that surely reads high */
};

/* Events, in order. */
enum sim_kind {
    SIM_CELL = 1,      /* a switch moved; value: cell << 1 | closed */
    SIM_PROBE,         /* the firmware wrote GPIOR0 */
    SIM_LINE_IN,       /* a byte has wholly arrived at the chip's RXD */
    SIM_LINE_OUT,      /* a byte has wholly left the chip's TXD */
    SIM_LED_FIRST,     /* first byte of an LED image is on its wire */
    SIM_LED_LAST,      /* the image is over (stamped with its last bit) */
    SIM_RESET,         /* the chip restarted; value: MCUSR as the firmware finds it */
    SIM_HOST_OUT,      /* real time only: a byte read from the pty */
    SIM_HOST_IN,       /* real time only: a byte written to the pty */
};

struct sim_record {
    uint64_t cycle;
    int64_t ns;        /* CLOCK_MONOTONIC, 0 in virtual time */
    uint32_t kind, value;
};

struct sim_waveform {  /* of the LED pin, in cycles; gaps are low times within an image */
    uint32_t zero_high_min, zero_high_max, one_high_min, one_high_max, low_min, low_max;
    uint64_t bits;
};

struct sim_counts {
    uint64_t line_in, line_out;   /* bytes on the wire */
    uint64_t rx_overruns;         /* bytes the receiver lost because nobody read it */
    uint64_t rx_disabled;         /* bytes that came while the receiver was off */
    uint64_t tx_overwrites;       /* UDR written while it was full */
    uint64_t error_flag_writes;   /* ones written to FE0, DOR0 or UPE0, where the data sheet wants zeros */
    uint64_t garbled;             /* bytes spoilt because the two baud rates differ too much */
    uint64_t spi_collisions;      /* SPDR written during a transfer */
    uint64_t spi_floating_ss;     /* transfers begun while SS was an input without pull-up */
    uint64_t display_too_fast;    /* HD44780 instructions sent while it was busy */
    uint64_t eeprom_writes;       /* cells written */
    uint64_t eeprom_collisions;   /* writes begun while one was running */
    uint64_t log_lost, tx_lost;   /* entries that fell out of our own buffers */
    uint64_t resets;
};

struct sim_vector {    /* one interrupt vector */
    uint64_t count;
    uint64_t busy_cycles;
    uint32_t longest_cycles;      /* from entry to RETI, both included */
    uint32_t latency_cycles;      /* longest wait from the flag to the entry */
};

struct sim_faults {    /* one direction of the line; chances in parts per million of a byte */
    uint32_t flip_ppm, drop_ppm, twice_ppm, delay_ppm;
    uint32_t delay_cycles;
    uint64_t seed;
};

struct sim;

struct sim *sim_new(const char *elf_path, const char *mcu, const struct sim_topology *topology, char *why,
                    size_t why_size);
void sim_free(struct sim *sim);

/* 0, or -1 once the chip has crashed (bad opcode, or sleep with interrupts off). */
int sim_run(struct sim *sim, uint64_t cycles);
uint64_t sim_cycle(struct sim *sim);
void sim_reset(struct sim *sim, uint8_t mcusr);
void sim_power_cycle(struct sim *sim, uint64_t seed);

void sim_cell(struct sim *sim, uint32_t cell, int is_closed);
void sim_column(struct sim *sim, uint32_t column, uint32_t extra_pf);  /* a longer wire on one column */
void sim_pin(struct sim *sim, int pin, int level);  /* level -1: let go */
int sim_pin_level(struct sim *sim, int pin);

void sim_feed(struct sim *sim, const uint8_t *bytes, size_t count);
size_t sim_take(struct sim *sim, uint8_t *bytes, uint64_t *cycles, size_t room);
void sim_set_faults(struct sim *sim, int towards_chip, const struct sim_faults *faults);

size_t sim_records(struct sim *sim, struct sim_record *records, size_t room);
void sim_counts(struct sim *sim, struct sim_counts *counts);
int sim_vector(struct sim *sim, uint32_t vector, struct sim_vector *figures);
void sim_clear_figures(struct sim *sim);

uint64_t sim_image_count(struct sim *sim);
/* Bytes of image `index` (0 is the first since power-up), -1 when it is not finished or no longer kept. */
int sim_image(struct sim *sim, uint64_t index, uint8_t *bytes, size_t room, uint64_t *begin, uint64_t *end);
void sim_waveform(struct sim *sim, struct sim_waveform *waveform);
uint32_t sim_tone_millihertz(struct sim *sim);
void sim_display(struct sim *sim, uint32_t line, char *text, size_t room);
/* The display is on its bus at an address, just powered; 0: it is not. */
void sim_display_plug(struct sim *sim, uint8_t address);
void sim_display_lose_nibble(struct sim *sim);
/* The display holds SDA low until it has seen so many clocks, as after a reset of the chip in mid-byte. */
void sim_display_hold(struct sim *sim, uint8_t clocks);

void sim_peek(struct sim *sim, uint32_t address, uint8_t *bytes, size_t count);
void sim_poke(struct sim *sim, uint32_t address, const uint8_t *bytes, size_t count);
uint32_t sim_stack_pointer(struct sim *sim);
uint32_t sim_ram_end(struct sim *sim);
size_t sim_eeprom_size(struct sim *sim);
void sim_eeprom_read(struct sim *sim, uint32_t address, uint8_t *bytes, size_t count);
void sim_eeprom_write(struct sim *sim, uint32_t address, const uint8_t *bytes, size_t count);
uint32_t sim_eeprom_wear(struct sim *sim, uint32_t address);

/* The name of the pty, NULL with `errno` set on failure. */
const char *sim_rt_start(struct sim *sim);
void sim_rt_stop(struct sim *sim);
int64_t sim_rt_worst_lag_ns(struct sim *sim);

#endif
