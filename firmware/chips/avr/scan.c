/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the sensors: a matrix on pins, a matrix on shift registers, a chain of 74HC165, or multiplexed hall sensors.
 *
 * Rule: a closed switch reads low and is a 1 in the image. Every matrix has a diode in series with each switch.
 */
#include <string.h>
#include <util/atomic.h>
#include <util/delay.h>

#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "core/bits.h"
#include "hal/hal.h"

#define CYCLES_PER_US (F_CPU / 1000000)

#if defined(PANEL_WIRING_MATRIX_DIRECT)

/* Rows D4 .. D8, D11 .. D13, low when selected; columns A0 .. A3 with pull-ups. Only the Nano and Uno. */
#define ROWS_ON_D 0xF0u
#define ROWS_ON_B 0x39u

#if !defined(__AVR_ATmega328P__) || PANEL_SENSOR_ROWS > 8 || PANEL_SENSOR_COLUMNS > 4
#error "matrix-direct has eight rows and four columns on a Nano or Uno"
#endif

static bool is_wired;

/* With the rows let go, so that nothing is driven. If a 74HC165 is on D12, as on the boards with shift registers, clocks
 * on D13 push the ground at its SER to D12. D13 itself is not looked at: its LED holds it down on a Nano. */
static bool rows_are_free(void)
{
    DDRB |= _BV(SCK_BIT);
    for (uint8_t clocks = 0; clocks < 64; clocks++) {
        PORTB &= (uint8_t)~_BV(SCK_BIT);
        PORTB |= _BV(SCK_BIT);
    }
    DDRB &= (uint8_t)~_BV(SCK_BIT);
    _delay_us(2 * RISE_LIMIT_US);
    const uint8_t on_b = ROWS_ON_B & (uint8_t)~_BV(SCK_BIT);
    return (PIND & ROWS_ON_D) == ROWS_ON_D && (PINB & on_b) == on_b;
}

void scan_init(void)
{
    PORTD |= ROWS_ON_D;
    PORTB |= ROWS_ON_B;
    PORTC |= LAST_COLUMNS;
    is_wired = rows_are_free();
    if (is_wired) {
        DDRD |= ROWS_ON_D;
        DDRB |= ROWS_ON_B;
    }
}

bool hal_wiring_is_right(void)
{
    return is_wired;
}

/* Rows 0 .. 3 are bits 4 .. 7 of port D, row 4 is bit 0 and rows 5 .. 7 are bits 3 .. 5 of port B. */
static void select_row(uint8_t row)
{
    if (row < 4) {
        PORTD &= (uint8_t)~(0x10u << row);
    } else {
        const uint8_t mask = (uint8_t)(row == 4 ? 0x01 : 0x02 << (row - 3));
        PORTB &= (uint8_t)~mask;
    }
}

static inline void release_rows(void)
{
    PORTD |= ROWS_ON_D;
    PORTB |= ROWS_ON_B;
}

static inline uint8_t read_columns(void)
{
    return (uint8_t)(~PINC & (uint8_t)LAST_COLUMNS);
}

void hal_scan(uint8_t *sensors)
{
    for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
        if (is_wired) {
            select_row(row);
            _delay_us(PANEL_SETTLE_US);
        }
        sensors[row] = is_wired ? read_columns() : 0;
        release_rows();
    }
}

bool hal_columns_are_quiet(void)
{
    _delay_us(PANEL_SETTLE_US);
    return read_columns() == 0;
}

/* The columns that `row` pulls low; `after_us` after it lets go, if that is not 0. */
static void sample(uint8_t row, uint8_t after_us, uint8_t *columns)
{
    select_row(row);
    _delay_us(PANEL_SETTLE_US);
    if (after_us != 0) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            release_rows();
            _delay_loop_2((uint16_t)(after_us * CYCLES_PER_US / 4));
            *columns = read_columns();
        }
    } else {
        *columns = read_columns();
        release_rows();
    }
}

#elif defined(PANEL_WIRING_MUX)

/* Sensor rows are 74HC4067 on the analogue inputs from A0 on, columns their channels; all share the select lines. */
#if PANEL_SENSOR_COLUMNS != 16 || PANEL_SENSOR_ROWS > (MUX_INPUTS)
#error "a multiplexer has sixteen channels, and each wants an analogue input"
#endif

/* A ratiometric hall sensor rests at half the supply; a magnet of either pole moves it. Of eight bits. */
#define REST 128
#define CLOSES_AT 24 /* 0.47 V */
#define OPENS_AT 16

/* 1 MHz: eight bits are still good then, and a conversion takes 13 us. */
#define ADC_ON (_BV(ADEN) | _BV(ADPS2))

void scan_init(void)
{
    MUX_SELECT_DDR |= 0x0F << MUX_SELECT_BIT;
}

static uint8_t read_mux(uint8_t row)
{
    ADMUX = (uint8_t)(_BV(REFS0) | _BV(ADLAR) | (row & 7u));
#if defined(MUX5)
    ADCSRB = (uint8_t)(row >> 3 << MUX5);
#endif
    ADCSRA = ADC_ON | _BV(ADSC);
    while ((ADCSRA & _BV(ADSC)) != 0) {
    }
    return ADCH;
}

/* The last level comes from the image itself, so that a value between the two thresholds changes nothing. */
void hal_scan(uint8_t *sensors)
{
    static uint8_t last[SENSOR_BYTES];
    for (uint8_t channel = 0; channel < 16; channel++) {
        MUX_SELECT_PORT = (uint8_t)((MUX_SELECT_PORT & ~(0x0F << MUX_SELECT_BIT)) | channel << MUX_SELECT_BIT);
        _delay_us(PANEL_SETTLE_US);
        for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
            uint8_t value = read_mux(row);
            uint8_t moved = (uint8_t)(value > REST ? value - REST : REST - value);
            uint8_t sensor = (uint8_t)(row * 16 + channel);
            bit_put(last, sensor, moved >= (bit_get(last, sensor) ? OPENS_AT : CLOSES_AT));
        }
    }
    memcpy(sensors, last, SENSOR_BYTES);
}

bool hal_columns_are_quiet(void)
{
    return true; /* there are no rows to switch off */
}

bool hal_wiring_is_right(void)
{
    return true; /* nothing tells an open input from a sensor at rest */
}

#else /* shift registers on the SPI */

#include "chips/avr/shift_registers.h"

/* 8 MHz; a chain has a clock input every eight cells on metres of wire, and 2 MHz are quick enough for it. */
#if defined(PANEL_WIRING_CHAIN)
#define SPI_RATE _BV(SPR0)
#else
#define SPI_RATE 0
#endif

static void spi_begin(void)
{
    DDRB |= SPI_OUTPUTS | _BV(LATCH_BIT) | _BV(LOAD_BIT);
    PORTB |= _BV(LOAD_BIT) | _BV(MISO_BIT); /* an input that nothing drives reads high */
    SPCR = _BV(SPE) | _BV(MSTR) | SPI_RATE;
    SPSR = _BV(SPI2X);
}

/* After the chips that the program knows comes the ground at SER of the last one. */
static bool chain_ends(void)
{
    return spi_exchange(0xFF) == 0;
}

#if defined(PANEL_WIRING_MATRIX_SHIFT)

static inline void release_and_load(uint8_t after_us)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        select_row();
        _delay_loop_2((uint16_t)(after_us * CYCLES_PER_US / 4));
        load_columns();
    }
}

#define wait_us(us) _delay_us(us)
#include "hal/shift_matrix.h"

#elif defined(PANEL_WIRING_CHAIN)

void scan_init(void)
{
    spi_begin();
}

void hal_scan(uint8_t *sensors)
{
    load_columns();
    SPDR = 0;
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        while ((SPSR & _BV(SPIF)) == 0) {
        }
        uint8_t read = SPDR;
        SPDR = 0; /* the next byte comes while this one is stored; one too many at the end does no harm */
        sensors[at] = (uint8_t)~read;
    }
    sensors[ROW_BYTES - 1] &= LAST_COLUMNS;
    while ((SPSR & _BV(SPIF)) == 0) {
    }
    (void)SPDR;
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
    load_columns();
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        (void)spi_exchange(0);
    }
    return chain_ends() && (ROW_BYTES < 2 || (columns[ROW_BYTES - 1] & columns[ROW_BYTES - 2]) != LAST_COLUMNS);
}

#else
#error "this chip does not know this wiring"
#endif

#endif

#if RISE_COLUMNS != 0
#include "hal/measure_rise.h"
#endif
