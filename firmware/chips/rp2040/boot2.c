/* SPDX-License-Identifier: Apache-2.0
 *
 * The second stage of the boot: the boot ROM loads it from the first 256 bytes of the flash into RAM and calls it.
 *
 * It lets the flash be read as memory, with the plainest read command, which every flash chip knows, and starts the
 * program. Rule: at most 252 bytes, no calls, no variables; the Makefile adds the CRC that the boot ROM wants.
 */
#include "registers.h"

#define READ_COMMAND 0x03ul
#define EEPROM_READ (3ul << 8)   /* TMOD: send command and address, then read */
#define FRAME_32 (31ul << 16)    /* DFS_32 */
#define COMMAND_8 (2ul << 8)     /* of SPI_CTRLR0 */
#define ADDRESS_24 (6ul << 2)
#define PROGRAM_VECTORS 0x10000100u

void boot2(void) __attribute__((section(".boot2"), noreturn));
void boot2(void)
{
    SSI_SSIENR = 0;
    SSI_BAUDR = 4; /* 12 MHz of 48 */
    SSI_CTRLR0 = EEPROM_READ | FRAME_32;
    SSI_CTRLR1 = 0;
    SSI_SPI_CTRLR0 = READ_COMMAND << 24 | COMMAND_8 | ADDRESS_24;
    SSI_SER = 1;
    SSI_SSIENR = 1;
    const uint32_t *vectors = (const uint32_t *)PROGRAM_VECTORS;
    __asm__ volatile("msr msp, %0\n\t"
                     "bx %1\n\t"
                     :
                     : "r"(vectors[0]), "r"(vectors[1]));
    __builtin_unreachable();
}
