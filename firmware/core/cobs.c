/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cobs.h"

void cobs_encode(uint8_t *buffer, uint8_t count)
{
    uint8_t mark = 0;
    for (uint8_t at = 1; at <= count; at++) {
        if (buffer[at] == 0) {
            buffer[mark] = (uint8_t)(at - mark);
            mark = at;
        }
    }
    buffer[mark] = (uint8_t)(count + 1 - mark);
}

int16_t cobs_decode(uint8_t *buffer, uint8_t count)
{
    uint8_t at = 0;
    while (at < count) {
        uint8_t step = buffer[at];
        if (step == 0 || step > count - at) {
            return -1;
        }
        buffer[at] = 0;
        at = (uint8_t)(at + step);
    }
    return (int16_t)(count - 1);
}
