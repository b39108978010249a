/* SPDX-License-Identifier: Apache-2.0
 *
 * Any chip with an Arduino core and at least 4 KB of memory.
 */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

#define CHIP_BOARD_KIND 3 /* LINK_BOARD_KIND_ARDUINO */
#define CHIP_MAX_PACKET 250
#define CHIP_EDGE_RING 128
#define CHIP_BOUNCE_LIST 64
#define CHIP_LEDS_STOP_SCANS 1

#if defined(__AVR__)
#include <avr/pgmspace.h>
#define CHIP_FLASH PROGMEM
#define chip_flash_u8(address) pgm_read_byte(address)
#define chip_flash_u16(address) pgm_read_word(address)
#else
#define CHIP_FLASH
#define chip_flash_u8(address) (*(const uint8_t *)(address))
#define chip_flash_u16(address) (*(const uint16_t *)(address))
#endif
#define chip_probe(code) ((void)(code))

#endif
