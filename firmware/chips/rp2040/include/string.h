/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program needs of the C library's header: the compiler brings none for this chip.
 */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);

#endif
