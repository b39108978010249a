/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared declarations of the harness: the whole panel in one struct, and each part's entry points.
 *
 * Rule: nothing here is locked; only the functions of sim.h take the lock.
 */
#ifndef COMPANION_SIM_PARTS_H
#define COMPANION_SIM_PARTS_H

#include <pthread.h>
#include <stdbool.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#include "sim.h"

enum { LOG_SIZE = 1 << 16, LINE_SIZE = 1 << 16, IMAGES = 64, PORTS = 12, TONE_EDGES = 9 };

struct line_byte {
    uint64_t release;  /* to the host: earliest cycle of delivery; to the chip: idle cycles before the byte */
    uint8_t byte;
};

struct line {  /* one direction of the serial line, behind its faults */
    struct line_byte queue[LINE_SIZE];
    size_t head, count;
    struct sim_faults faults;
    uint64_t random;
};

struct uart {
    avr_uart_t *io;
    struct { uint8_t byte, flags; } fifo[2], waiting;
    uint8_t fifo_count, lost_flags;
    bool has_waiting, is_receiving, gap_over, shifting, buffer_full, tx_done, rx_armed;
    uint64_t shift_began;
    uint8_t shift_byte, buffer_byte, arriving;
};

struct spi {
    avr_spi_t *io;
    uint8_t sending, received;
    bool is_busy, flag_seen;
    int ss_pin;
};

struct twi {
    avr_twi_t *io;
    uint8_t action, address;
    uint8_t held_clocks;  /* the display holds SDA low for so many more clocks */
    uint8_t directions;   /* of the pins of SCL's port */
    bool is_started, has_address;
};

struct eeprom {
    avr_eeprom_t *io;
    avr_io_write_t write;
    void *write_param;
    uint32_t *wear;
    bool is_busy;
    uint16_t busy_address;
};

struct watchdog {
    avr_watchdog_t *io;
    avr_io_write_t write;
    void *write_param;
};

struct lcd {
    uint8_t memory[128], address, first_nibble, expander;
    bool four_bit, has_first, enable, in_character_memory;
    uint64_t ready_at;
};

struct port {
    struct sim *sim;
    avr_ioport_t *io;
    avr_io_read_t read;
    void *read_param;
    avr_io_write_t write[3];  /* of PIN, DDR, PORT; only where a row is driven */
    void *write_param[3];
    bool drives_rows;
    int8_t forced[8];     /* level from outside, -1: none */
    int16_t column[8];    /* column wired to the pin, -1: none */
};

struct image {
    uint64_t begin, end;
    size_t count;
    uint8_t bytes[SIM_IMAGE_BYTES];
};

struct leds {
    struct image images[IMAGES];
    uint64_t finished;
    bool is_open, level;
    uint64_t rose_at, fell_at;
    uint32_t bit_count;
    uint8_t byte;
    struct sim_waveform waveform;
};

struct realtime {
    pthread_t thread;
    bool is_running, stop;
    int master, slave;
    char name[64];
    int64_t anchor_ns, worst_lag_ns;
    uint64_t anchor_cycle;
};

struct vector {
    struct sim *sim;
    avr_int_vector_t *io;
    struct sim_vector figures;
    uint64_t raised_at, entered_at;
    bool is_raised;
};

struct sim {
    avr_io_t io;  /* first member: libsimavr calls its reset with a pointer to it */
    avr_t *avr;
    pthread_mutex_t lock;
    struct sim_topology topology;
    struct sim_counts counts;
    bool has_crashed, was_reset;
    uint8_t reset_cause;

    struct sim_record log[LOG_SIZE];
    size_t log_head, log_count;

    struct vector vectors[SIM_VECTORS];
    uint32_t entry_cycles;

    struct line to_chip, to_host;
    struct uart uart;
    struct spi spi;
    struct twi twi;
    struct eeprom eeprom;
    struct watchdog watchdog;
    struct lcd lcd;
    struct port ports[PORTS];
    struct leds leds;
    struct realtime realtime;

    uint8_t closed[SIM_ROWS][SIM_COLUMNS / 8];
    uint64_t rows;
    uint64_t released_at[SIM_COLUMNS];  /* cycle at which the last row let go of a column; 0: long ago */
    uint32_t extra_pf[SIM_COLUMNS];
    uint64_t row_shift;
    uint8_t column_shift[SIM_COLUMNS / 8];
    uint32_t column_next;
    bool load_level;

    uint8_t channel, old_channel;  /* of the analogue multiplexers */
    uint64_t channel_changed_at;

    uint64_t tone_edges[TONE_EDGES];
    uint32_t tone_count;
    bool is_tone_high;
};

void *find_module(struct sim *sim, const char *kind, char name);
void record(struct sim *sim, enum sim_kind kind, uint64_t cycle, uint32_t value);
void watch_pin(struct sim *sim, int pin, avr_irq_notify_t notify);
int64_t monotonic_ns(void);

void interrupts_attach(struct sim *sim);
void interrupts_reset(struct sim *sim);
void set_level_interrupt(struct sim *sim, avr_int_vector_t *vector, bool level);

bool uart_attach(struct sim *sim);
void uart_reset(struct sim *sim);
void uart_levels(struct sim *sim);
void uart_line_has_bytes(struct sim *sim);

void line_push(struct sim *sim, struct line *line, uint8_t byte);
bool line_pop(struct sim *sim, struct line *line, struct line_byte *out);
size_t line_take(struct sim *sim, uint8_t *bytes, uint64_t *cycles, size_t room);

bool spi_attach(struct sim *sim);
void spi_reset(struct sim *sim);

bool twi_attach(struct sim *sim);
void twi_reset(struct sim *sim);
void twi_levels(struct sim *sim);

bool eeprom_attach(struct sim *sim);
void eeprom_reset(struct sim *sim);

bool watchdog_attach(struct sim *sim);

bool hall_attach(struct sim *sim);

bool inputs_attach(struct sim *sim);
void inputs_reset(struct sim *sim);
uint8_t chain_exchange(struct sim *sim, uint8_t sent);

bool leds_attach(struct sim *sim);
void leds_settle(struct sim *sim);

void lcd_attach(struct sim *sim);
void lcd_power_up(struct lcd *lcd);
void lcd_expander(struct sim *sim, uint8_t byte);

void realtime_stop(struct sim *sim);

#endif
