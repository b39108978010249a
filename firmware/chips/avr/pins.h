/* SPDX-License-Identifier: Apache-2.0
 *
 * Where everything is soldered. WIRING.md shows the same with the boards' own pin names.
 */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>

#if defined(__AVR_ATmega328P__)

/* Nano / Uno: LED data D10 (SS, which the SPI wants as an output anyway), buzzer D3 (OC2B), lever D2. */
#define LED_BIT 2 /* of PORTB */
#define TONE_DDR DDRD
#define TONE_BIT 3
#define LEVER_PORT PORTD
#define LEVER_PIN PIND
#define LEVER_BIT 2
/* Shift registers: SCK D13, MISO D12, MOSI D11, latch of the 74HC595 D9, load of the 74HC165 D8. */
#define SPI_OUTPUTS (_BV(5) | _BV(3) | _BV(2)) /* SCK, MOSI, SS */
#define LATCH_BIT 1 /* of PORTB */
#define LOAD_BIT 0  /* of PORTB */
#define MISO_BIT 4  /* of PORTB */
#define SCK_BIT 5   /* of PORTB */
/* Multiplexers: S0 .. S3 on D4 .. D7, outputs on A0 .. A3. */
#define MUX_SELECT_PORT PORTD
#define MUX_SELECT_DDR DDRD
#define MUX_SELECT_BIT 4
#define MUX_INPUTS 4
/* Display: SDA A4, SCL A5. */
#define BUS_DDR DDRC
#define SDA_BIT 4
#define SCL_BIT 5

#elif defined(__AVR_ATmega2560__)

/* Mega: LED data D11, buzzer D9 (OC2B), lever D2, buttons D22 .. D29 and D37 .. D31. */
#define LED_BIT 5 /* of PORTB */
#define TONE_DDR DDRH
#define TONE_BIT 6
#define LEVER_PORT PORTE
#define LEVER_PIN PINE
#define LEVER_BIT 4
/* Shift registers: SCK D52, MISO D50, MOSI D51, latch of the 74HC595 D12, load of the 74HC165 D53 (SS). */
#define SPI_OUTPUTS (_BV(1) | _BV(2) | _BV(0)) /* SCK, MOSI, SS */
#define LATCH_BIT 6 /* of PORTB */
#define LOAD_BIT 0  /* of PORTB */
#define MISO_BIT 3  /* of PORTB */
/* Multiplexers: S0 .. S3 on D49 .. D46, outputs on A0 .. A15. */
#define MUX_SELECT_PORT PORTL
#define MUX_SELECT_DDR DDRL
#define MUX_SELECT_BIT 0
#define MUX_INPUTS 16
/* Display: SDA D20, SCL D21. */
#define BUS_DDR DDRD
#define SDA_BIT 1
#define SCL_BIT 0

#endif

#endif
