/* SPDX-License-Identifier: Apache-2.0
 *
 * CRC-16/MCRF4XX: polynomial 0x1021 reflected, begins with 0xFFFF, no final change; "123456789" gives 0x6F91.
 */
#ifndef CORE_CRC_H
#define CORE_CRC_H

#include <stdint.h>

#define CRC_BEGIN 0xFFFFu

/* Eight shifts folded into four: no table, some thirty cycles on an AVR. */
static inline uint16_t crc_add(uint16_t crc, uint8_t byte)
{
    byte = (uint8_t)(byte ^ (uint8_t)crc);
    byte = (uint8_t)(byte ^ (uint8_t)(byte << 4));
    return (uint16_t)(((uint16_t)(byte << 8) | crc >> 8) ^ (uint8_t)(byte >> 4) ^ (uint16_t)(byte << 3));
}

static inline uint16_t crc_of(const uint8_t *bytes, uint16_t count)
{
    uint16_t crc = CRC_BEGIN;
    while (count--) {
        crc = crc_add(crc, *bytes++);
    }
    return crc;
}

#endif
