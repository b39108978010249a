/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHIP_H
#define CHIP_H

#include <avr/io.h>
#include <avr/pgmspace.h>

#if defined(__AVR_ATmega328P__)
#define CHIP_BOARD_KIND 1 /* LINK_BOARD_KIND_ATMEGA328P */
#define CHIP_MAX_PACKET 64
#define CHIP_EDGE_RING 64
#define CHIP_BOUNCE_LIST 16
#define CHIP_LINE_BUFFER 128 /* each way */
#elif defined(__AVR_ATmega2560__)
#define CHIP_BOARD_KIND 2 /* LINK_BOARD_KIND_ATMEGA2560 */
#define CHIP_MAX_PACKET 250
#define CHIP_EDGE_RING 128
#define CHIP_BOUNCE_LIST 64
#define CHIP_LINE_BUFFER 256
#else
#error "no pin map for this chip"
#endif
#define CHIP_LEDS_STOP_SCANS 1

#define CHIP_FLASH PROGMEM
#define chip_flash_u8(address) pgm_read_byte(address)
#define chip_flash_u16(address) pgm_read_word(address)
#define chip_probe(code) (GPIOR0 = (code))

#endif
