/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

#define CHIP_BOARD_KIND 0 /* LINK_BOARD_KIND_NATIVE */
#ifndef CHIP_MAX_PACKET
#define CHIP_MAX_PACKET 250
#endif
#define CHIP_EDGE_RING 64
#define CHIP_BOUNCE_LIST 32
#define CHIP_LEDS_STOP_SCANS 1

#define CHIP_FLASH
#define chip_flash_u8(address) (*(const uint8_t *)(address))
#define chip_flash_u16(address) (*(const uint16_t *)(address))
#define chip_probe(code) ((void)(code))

#endif
