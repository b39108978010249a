/* SPDX-License-Identifier: Apache-2.0
 *
 * memcpy, memmove, memset and memcmp: the compiler calls them, and there is no C library.
 */
#include <stdint.h>
#include <string.h>

void *memcpy(void *to, const void *from, size_t count)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count-- > 0) {
        *target++ = *source++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    if (target <= source) {
        return memcpy(to, from, count); /* which goes upwards */
    }
    while (count-- > 0) {
        target[count] = source[count];
    }
    return to;
}

void *memset(void *to, int byte, size_t count)
{
    uint8_t *target = to;
    while (count-- > 0) {
        *target++ = (uint8_t)byte;
    }
    return to;
}

int memcmp(const void *one, const void *other, size_t count)
{
    const uint8_t *a = one, *b = other;
    for (; count > 0; count--, a++, b++) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}
