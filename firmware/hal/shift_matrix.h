/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix on shift registers: rows by 74HC595, columns by 74HC165, on one SPI. To be included once, behind
 * static spi_begin(), spi_exchange(byte), load_columns(), select_row(), wait_us(constant), and release_and_load(us): select_row,
 * load_columns so many microseconds later, and nothing in between.
 */
#ifndef HAL_SHIFT_MATRIX_H
#define HAL_SHIFT_MATRIX_H

/* A row settles while the columns of the row before are shifted in: a byte takes 2 us at least, and the rest is waited. */
#define SHIFTS_US (2 * SHIFTS)
#define REST_US (PANEL_SETTLE_US > SHIFTS_US ? PANEL_SETTLE_US - SHIFTS_US : 0)

/* Read the columns as loaded into `columns` while the selection of `row` goes out; `select_row` makes it the one driven. */
static void shift(uint8_t *columns, uint8_t row)
{
    for (uint8_t at = 0; at < SHIFTS; at++) {
        uint8_t chip = (uint8_t)(SHIFTS - 1 - at); /* the chip next to MOSI gets its byte last */
        uint8_t select = (row >> 3) == chip ? (uint8_t)~bit_mask(row) : 0xFFu;
        uint8_t read = spi_exchange(select);
        if (at < ROW_BYTES) {
            columns[at] = (uint8_t)~read;
        }
    }
    columns[ROW_BYTES - 1] &= LAST_COLUMNS;
}

void scan_init(void)
{
    uint8_t ignored[ROW_BYTES];
    spi_begin();
    shift(ignored, NO_ROW);
    select_row();
}

void hal_scan(uint8_t *sensors)
{
    uint8_t ignored[ROW_BYTES];
    shift(ignored, 0);
    select_row();
    shift(ignored, 1);
    for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
        wait_us(REST_US);
        load_columns();
        select_row();
        shift(sensors, row + 2 < PANEL_SENSOR_ROWS ? (uint8_t)(row + 2) : NO_ROW);
        sensors += ROW_BYTES;
    }
}

bool hal_columns_are_quiet(void)
{
    uint8_t columns[ROW_BYTES];
    wait_us(PANEL_SETTLE_US);
    load_columns();
    shift(columns, NO_ROW);
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        if (columns[at] != 0) {
            return false;
        }
    }
    return true;
}

bool hal_wiring_is_right(void)
{
    uint8_t columns[ROW_BYTES];
    load_columns();
    shift(columns, NO_ROW);
    return chain_ends();
}

/* The columns that `row` pulls low; `after_us` after it lets go, if that is not 0. */
static void sample(uint8_t row, uint8_t after_us, uint8_t *columns)
{
    shift(columns, row);
    select_row();
    wait_us(PANEL_SETTLE_US);
    if (after_us != 0) {
        shift(columns, NO_ROW);
        release_and_load(after_us);
        shift(columns, NO_ROW);
    } else {
        load_columns();
        shift(columns, NO_ROW);
        select_row();
    }
}

#endif
