/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the sensors: a matrix on pins, a matrix on shift registers, or a chain of 74HC165.
 *
 * Rule: a closed switch reads low and is a 1 in the image. Every matrix has a diode in series with each switch.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "core/bits.h"
#include "hal/hal.h"

#if defined(PANEL_WIRING_MATRIX_DIRECT)

#if PANEL_SENSOR_ROWS > ROWS_MOST || PANEL_SENSOR_COLUMNS > COLUMNS_MOST
#error "matrix-direct has eight rows and eight columns on this chip"
#endif

#define ROWS ((BIT(PANEL_SENSOR_ROWS) - 1) << ROW_PIN)

static bool is_wired;

static void select_row(uint8_t row)
{
    SIO_GPIO_OUT_CLR = BIT(ROW_PIN + row);
}

/* High, so that a column need not charge the wire of its row as well. */
static inline void release_rows(void)
{
    SIO_GPIO_OUT_SET = ROWS;
}

static inline uint8_t read_columns(void)
{
    return (uint8_t)(~SIO_GPIO_IN >> COLUMN_PIN & LAST_COLUMNS);
}

/* The rows are driven only if nothing else drives them. */
void scan_init(void)
{
    for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
        pin_function((uint8_t)(ROW_PIN + row), FUNCTION_SIO, PAD_PULL_UP);
    }
    for (uint8_t column = 0; column < PANEL_SENSOR_COLUMNS; column++) {
        pin_function((uint8_t)(COLUMN_PIN + column), FUNCTION_SIO, PAD_PULL_UP);
    }
    wait_us(2 * RISE_LIMIT_US);
    is_wired = (SIO_GPIO_IN & ROWS) == ROWS;
    if (is_wired) {
        SIO_GPIO_OUT_SET = ROWS;
        SIO_GPIO_OE_SET = ROWS;
    }
}

bool hal_wiring_is_right(void)
{
    return is_wired;
}

void hal_scan(uint8_t *sensors)
{
    for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
        if (is_wired) {
            select_row(row);
            wait_us(PANEL_SETTLE_US);
        }
        sensors[row] = is_wired ? read_columns() : 0;
        release_rows();
    }
}

bool hal_columns_are_quiet(void)
{
    wait_us(PANEL_SETTLE_US);
    return read_columns() == 0;
}

/* The columns that `row` pulls low; `after_us` after it lets go, if that is not 0. */
static void sample(uint8_t row, uint8_t after_us, uint8_t *columns)
{
    select_row(row);
    wait_us(PANEL_SETTLE_US);
    if (after_us != 0) {
        release_rows();
        wait_us(after_us);
        *columns = read_columns();
    } else {
        *columns = read_columns();
        release_rows();
    }
}

#elif defined(PANEL_WIRING_MATRIX_SHIFT) || defined(PANEL_WIRING_CHAIN)

/* Of 48 MHz: shift registers at 3.3 V bear 4; a chain has a clock input every eight cells on metres of wire. */
#if defined(PANEL_WIRING_CHAIN)
#define SPI_DIVIDER 24
#else
#define SPI_DIVIDER 12
#endif

static void spi_begin(void)
{
    SIO_GPIO_OUT_SET = BIT(LOAD_PIN);
    SIO_GPIO_OUT_CLR = BIT(LATCH_PIN);
    SIO_GPIO_OE_SET = BIT(LOAD_PIN) | BIT(LATCH_PIN);
    pin_function(SCK_PIN, FUNCTION_SPI, PAD_PLAIN);
    pin_function(MOSI_PIN, FUNCTION_SPI, PAD_PLAIN);
    pin_function(MISO_PIN, FUNCTION_SPI, PAD_PULL_UP); /* an input that nothing drives reads high */
    pin_function(LOAD_PIN, FUNCTION_SIO, PAD_PLAIN);
    pin_function(LATCH_PIN, FUNCTION_SIO, PAD_PLAIN);
    SPI_CPSR = SPI_DIVIDER;
    SPI_CR0 = SPI_EIGHT_BITS;
    SPI_CR1 = SPI_ENABLE;
}

static inline uint8_t spi_exchange(uint8_t byte)
{
    SPI_DR = byte;
    while ((SPI_SR & SPI_SR_RNE) == 0) {
    }
    return (uint8_t)SPI_DR;
}

/* After the chips that the program knows comes the ground at SER of the last one. */
static bool chain_ends(void)
{
    return spi_exchange(0xFF) == 0;
}

/* A register at 3.3 V wants a pulse of 0.1 us: five cycles, and a store takes two. */
static inline void pulse(volatile uint32_t *begin, volatile uint32_t *end, uint32_t pin)
{
    *begin = pin;
    *begin = pin;
    *begin = pin;
    *end = pin;
}

/* The 74HC165 copy their inputs while load is low. */
static inline void load_columns(void)
{
    pulse(&SIO_GPIO_OUT_CLR, &SIO_GPIO_OUT_SET, BIT(LOAD_PIN));
}

#if defined(PANEL_WIRING_MATRIX_SHIFT)

static inline void select_row(void)
{
    pulse(&SIO_GPIO_OUT_SET, &SIO_GPIO_OUT_CLR, BIT(LATCH_PIN));
}

static inline void release_and_load(uint8_t after_us)
{
    select_row();
    wait_us(after_us);
    load_columns();
}

#include "hal/shift_matrix.h"

#else /* a chain */

void scan_init(void)
{
    spi_begin();
}

void hal_scan(uint8_t *sensors)
{
    load_columns();
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        sensors[at] = (uint8_t)~spi_exchange(0);
    }
    sensors[ROW_BYTES - 1] &= LAST_COLUMNS;
}

bool hal_columns_are_quiet(void)
{
    return true; /* a chain has no rows to switch off */
}

/* Beyond the last chip everything reads low: where sixteen switches seem closed at the end, chips are missing. */
bool hal_wiring_is_right(void)
{
    uint8_t columns[ROW_BYTES];
    hal_scan(columns);
    return chain_ends() && (ROW_BYTES < 2 || (columns[ROW_BYTES - 1] & columns[ROW_BYTES - 2]) != LAST_COLUMNS);
}

#endif

#else
#error "this chip does not know this wiring"
#endif

#if RISE_COLUMNS != 0
#include "hal/measure_rise.h"
#endif
