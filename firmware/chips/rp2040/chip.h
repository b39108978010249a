/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

#define CHIP_BOARD_KIND 4 /* LINK_BOARD_KIND_RP2040 */
#define CHIP_MAX_PACKET 250
#define CHIP_EDGE_RING 128
#define CHIP_BOUNCE_LIST 64
#define CHIP_LINE_BUFFER 512 /* each way */
#define CHIP_LEDS_STOP_SCANS 0

#define CHIP_FLASH
#define chip_flash_u8(address) (*(const uint8_t *)(address))
#define chip_flash_u16(address) (*(const uint16_t *)(address))
/* The last scratch register of the watchdog: nothing else uses it. */
#define chip_probe(code) (*(volatile uint32_t *)0x40058028u = (code))

#endif
