/* SPDX-License-Identifier: Apache-2.0
 *
 * A scan in steps, taken while LEDs are sent: it looks for inputs that left their level.
 *
 * Rule: a step takes less than the 5 us for which the data line may be low, and an LED passes between two steps of a byte:
 * so a byte of the SPI has come, and a row has settled. Everything is inlined and stays in registers.
 */
#ifndef WATCH_H
#define WATCH_H

#include "chips/avr/avr.h"
#include "hal/hal.h"

#if defined(PANEL_WIRING_MATRIX_SHIFT) || defined(PANEL_WIRING_CHAIN)

#include <util/delay.h>

#include "chips/avr/shift_registers.h"

#if defined(PANEL_WIRING_MATRIX_SHIFT) && PANEL_SETTLE_US > 30 * SHIFTS
#error "a row does not settle while its bytes are sent, one an LED"
#endif

struct watch {
    uint8_t place;   /* of the next byte in the image */
    uint8_t row, at; /* of it */
    uint8_t select_at, select_bit; /* of the row whose selection goes out, two rows ahead */
};

#if defined(PANEL_WIRING_MATRIX_SHIFT)

#define LINES PANEL_SENSOR_ROWS

INLINED void watch_send(const struct watch *watch)
{
    SPDR = watch->at == watch->select_at ? (uint8_t)~watch->select_bit : 0xFF;
}

INLINED void watch_next_row(struct watch *watch)
{
    load_columns();
    select_row();
    watch->select_bit = (uint8_t)(watch->select_bit << 1);
    if (watch->row == (uint8_t)(PANEL_SENSOR_ROWS - 3)) { /* the first row is the next to be selected */
        watch->select_at = SHIFTS - 1; /* the chip next to MOSI gets its byte last */
        watch->select_bit = 1;
    } else if (watch->select_bit == 0) {
        watch->select_at--;
        watch->select_bit = 1;
    }
    watch->at = 0;
    watch->row++;
}

#else

#define LINES 1

INLINED void watch_send(const struct watch *watch)
{
    (void)watch;
    SPDR = 0;
}

INLINED void watch_next_row(struct watch *watch)
{
    load_columns();
    watch->at = 0;
    watch->row++;
}

#endif

INLINED uint8_t differs(const struct levels *watched, uint8_t at, uint8_t raw)
{
    return (uint8_t)((raw ^ watched->stable[at]) & ~watched->in_burst[at]);
}

/* Not 0 at a difference: in a byte of a row, or of the buttons, which are read after the last row. */
INLINED uint8_t watch_step(struct watch *watch, const struct levels *watched)
{
    if (watch->row >= LINES) {
        uint16_t buttons = hal_buttons();
        uint8_t half = (uint8_t)(watch->row == LINES ? buttons : buttons >> 8);
        uint8_t at = watch->place++;
        watch->row++;
        if (at == RAW_BYTES - 1) {
            watch->row = 0;
            watch->place = 0;
        }
        return differs(watched, at, half);
    }
    (void)SPSR; /* or reading SPDR would not clear the flag */
    uint8_t read = (uint8_t)~SPDR, change = 0;
    watch->at++;
#if defined(PANEL_WIRING_MATRIX_SHIFT) && SELECT_BYTES > ROW_BYTES
    if (watch->at < ROW_BYTES) {
        change = differs(watched, watch->place++, read);
    } else if (watch->at == ROW_BYTES) {
        change = differs(watched, watch->place++, read) & LAST_COLUMNS;
    }
    if (watch->at == SHIFTS) {
        watch_next_row(watch);
    }
#else
    change = differs(watched, watch->place++, read);
    if (watch->at == ROW_BYTES) {
        change &= LAST_COLUMNS;
        watch_next_row(watch);
    }
#endif
    watch_send(watch);
    return change;
}

/* Before the first step: its row is loaded, the second one selected, and the third one's selection on its way. */
INLINED struct watch watch_begin(void)
{
    struct watch watch = {0};
#if defined(PANEL_WIRING_MATRIX_SHIFT)
    watch.select_at = SHIFTS - 1;
    watch.select_bit = 1;
    watch.row = (uint8_t)-2;
    while (watch.row != 0) {
        for (; watch.at < SHIFTS; watch.at++) {
            watch_send(&watch);
            spi_wait();
            (void)SPDR;
        }
        _delay_us(PANEL_SETTLE_US);
        watch_next_row(&watch);
    }
#else
    load_columns();
#endif
    watch_send(&watch);
    return watch;
}

INLINED void watch_end(void)
{
    spi_wait();
    (void)SPDR;
}

#else /* the other wirings have few LEDs */

struct watch {
    uint8_t unused;
};

INLINED struct watch watch_begin(void)
{
    return (struct watch){0};
}

INLINED uint8_t watch_step(struct watch *watch, const struct levels *watched)
{
    (void)watch;
    (void)watched;
    return 0;
}

INLINED void watch_end(void)
{
}

#endif

#endif
