/* SPDX-License-Identifier: Apache-2.0
 *
 * Consistent overhead byte stuffing, in place and in one block: for at most 253 bytes.
 */
#ifndef CORE_COBS_H
#define CORE_COBS_H

#include <stdint.h>

/* Stuff buffer[1 .. count]; buffer[0] is spare. Afterwards buffer[0 .. count] holds no zero. */
void cobs_encode(uint8_t *buffer, uint8_t count);

/* Decode buffer[0 .. count - 1]; returns the number of bytes in buffer[1 ...], or -1 if it is not COBS. */
int16_t cobs_decode(uint8_t *buffer, uint8_t count);

#endif
