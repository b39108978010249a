/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of bits: bit n is bit n % 8 of byte n / 8.
 */
#ifndef CORE_BITS_H
#define CORE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint8_t bit_mask(uint16_t index)
{
    return (uint8_t)(1u << (index & 7u));
}

static inline bool bit_get(const uint8_t *bytes, uint16_t index)
{
    return (bytes[index >> 3] & bit_mask(index)) != 0;
}

static inline void bit_put(uint8_t *bytes, uint16_t index, bool level)
{
    if (level) {
        bytes[index >> 3] = (uint8_t)(bytes[index >> 3] | bit_mask(index));
    } else {
        bytes[index >> 3] = (uint8_t)(bytes[index >> 3] & (uint8_t)~bit_mask(index));
    }
}

#endif
