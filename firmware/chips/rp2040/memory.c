/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration memory in the last two sectors of the flash.
 *
 * Rule: a sector is a log of bytes written, so that most writes erase nothing. A full sector is copied to the other one,
 * whose mark is written last: a power cut leaves one of them whole. No call waits for the flash chip, which is busy for
 * up to 3 ms with a write and 0.4 s with an erasure; the program runs in RAM meanwhile.
 */
#include <string.h>

#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "core/config.h"
#include "hal/hal.h"

#define SECTOR_BYTES 4096u
#define SECTORS_AT 0x1FE000u /* of 2 MB */
#define WORDS (SECTOR_BYTES / 4)
#define BLANK 0xFFFFFFFFul
#define MARK_MAGIC 0x43470000ul /* "CG", then the sector's generation */

enum { COMMAND_PROGRAM = 0x02, COMMAND_READ = 0x03, COMMAND_STATUS = 0x05, COMMAND_WRITE_ENABLE = 0x06, COMMAND_ERASE_4K = 0x20,
       COMMAND_NUMBER = 0x4B };
#define STATUS_BUSY 0x01u

enum step { IDLE, WRITING, ERASING, COPYING, MARKING };

static struct {
    uint8_t image[CONFIG_MEMORY];
    uint8_t sector;      /* the one in use, 0 or 1 */
    uint16_t generation; /* of it; the newer sector of two has the next one */
    uint16_t next;       /* word of it for the next byte */
    enum step step;
    /* being written: */
    uint8_t address, before;            /* of the byte, and what it was */
    uint8_t page[4 * (CONFIG_MEMORY + 1)]; /* what the flash has to hold afterwards */
} memory;

/* An address and its byte, each with its complement. */
static uint32_t entry(uint8_t address, uint8_t byte)
{
    return (uint32_t)address | (uint32_t)(uint8_t)~address << 8 | (uint32_t)byte << 16 | (uint32_t)(uint8_t)~byte << 24;
}

static void take(uint32_t word)
{
    uint8_t address = (uint8_t)word, byte = (uint8_t)(word >> 16);
    if (word == entry(address, byte) && address < CONFIG_MEMORY) {
        memory.image[address] = byte;
    }
}

/* --- the flash chip, by its own commands --- */

static void flash_mode(void)
{
    SSI_SSIENR = 0;
    SSI_CTRLR0 = 7ul << 16; /* eight bits, both ways */
    SSI_BAUDR = 4;
    SSI_SER = 1;
    SSI_SSIENR = 1;
}

static uint8_t exchange(uint8_t byte)
{
    SSI_DR0 = byte;
    while ((SSI_SR & SSI_SR_RFNE) == 0) {
    }
    return (uint8_t)SSI_DR0;
}

/* The select line is driven by hand: by itself it would end a command whenever the FIFO is empty. */
static void select(void)
{
    QSPI_SS_CTRL = QSPI_SS_LOW;
}

static void release(void)
{
    QSPI_SS_CTRL = 0;
}

static void command(uint8_t code)
{
    select();
    (void)exchange(code);
    release();
}

static void begin_at(uint8_t code, uint32_t address)
{
    select();
    (void)exchange(code);
    (void)exchange((uint8_t)(address >> 16));
    (void)exchange((uint8_t)(address >> 8));
    (void)exchange((uint8_t)address);
}

/* Program the first `count` bytes of the page. */
static void program(uint32_t address, uint16_t count)
{
    command(COMMAND_WRITE_ENABLE);
    begin_at(COMMAND_PROGRAM, address);
    for (uint16_t at = 0; at < count; at++) {
        (void)exchange(memory.page[at]);
    }
    release();
}

static void erase(uint32_t address)
{
    command(COMMAND_WRITE_ENABLE);
    begin_at(COMMAND_ERASE_4K, address);
    release();
}

/* True if the flash holds the first `count` bytes of the page. */
static bool holds(uint32_t address, uint16_t count)
{
    bool is_same = true;
    begin_at(COMMAND_READ, address);
    for (uint16_t at = 0; at < count; at++) {
        is_same = exchange(0) == memory.page[at] && is_same;
    }
    release();
    return is_same;
}

static bool is_busy(void)
{
    select();
    (void)exchange(COMMAND_STATUS);
    uint8_t status = exchange(0);
    release();
    return (status & STATUS_BUSY) != 0;
}

/* Of the chip, which is not busy yet. */
void memory_read_number(uint8_t number[8])
{
    begin_at(COMMAND_NUMBER, 0);
    (void)exchange(0);
    for (uint8_t at = 0; at < 8; at++) {
        number[at] = exchange(0);
    }
    release();
}

static uint32_t address_of(uint8_t sector, uint16_t word)
{
    return SECTORS_AT + sector * SECTOR_BYTES + word * 4u;
}

static void program_word(uint8_t sector, uint16_t word, uint32_t value)
{
    memcpy(memory.page, &value, sizeof value);
    program(address_of(sector, word), sizeof value);
}

/* --- the log --- */

static uint8_t other(void)
{
    return memory.sector ^ 1u;
}

/* Behind the mark, one entry for each byte that is not blank; the mark itself stays blank. Returns the number of bytes. */
static uint16_t put_page(void)
{
    uint16_t at = 4;
    memset(memory.page, 0xFF, sizeof memory.page);
    for (uint8_t address = 0; address < CONFIG_MEMORY; address++) {
        if (memory.image[address] != 0xFF) {
            uint32_t word = entry(address, memory.image[address]);
            memcpy(&memory.page[at], &word, sizeof word);
            at = (uint16_t)(at + sizeof word);
        }
    }
    return at;
}

_Static_assert(sizeof memory.page <= 256, "the copy is one page of the flash");

/* The flash chip is idle: the next step of a write. Returns true when none is left; a byte that the flash does not hold
 * reads as before. */
static bool go_on(void)
{
    uint16_t count;
    switch (memory.step) {
    case ERASING:
        program(address_of(other(), 0), put_page());
        memory.step = COPYING;
        return false;
    case COPYING:
        count = put_page();
        if (!holds(address_of(other(), 0), count)) {
            break;
        }
        memory.next = count / 4;
        memory.generation++;
        program_word(other(), 0, MARK_MAGIC | memory.generation);
        memory.step = MARKING;
        return false;
    case MARKING:
        memory.sector = other();
        return true;
    default:
        if (holds(address_of(memory.sector, (uint16_t)(memory.next - 1)), 4)) {
            return true;
        }
        break;
    }
    memory.image[memory.address] = memory.before;
    return true;
}

static const uint32_t *words_of(uint8_t sector)
{
    return (const uint32_t *)(XIP_UNCACHED + address_of(sector, 0));
}

/* The flash can be read as memory until here. Without a marked sector the first byte written makes one. */
void memory_init(void)
{
    const uint32_t *zero = words_of(0), *one = words_of(1);
    bool has_zero = (zero[0] & 0xFFFF0000ul) == MARK_MAGIC, has_one = (one[0] & 0xFFFF0000ul) == MARK_MAGIC;
    memset(memory.image, 0xFF, sizeof memory.image);
    memory.sector = has_one && (!has_zero || (int16_t)((uint16_t)one[0] - (uint16_t)zero[0]) > 0);
    memory.next = WORDS;
    if (has_zero || has_one) {
        const uint32_t *words = words_of(memory.sector);
        memory.generation = (uint16_t)words[0];
        memory.next = 1;
        while (memory.next < WORDS && words[memory.next] != BLANK) {
            take(words[memory.next++]);
        }
    }
    flash_mode();
}

uint8_t hal_memory_read(uint16_t address)
{
    return memory.image[address];
}

bool hal_memory_is_ready(void)
{
    if (memory.step != IDLE && !is_busy() && go_on()) {
        memory.step = IDLE;
    }
    return memory.step == IDLE;
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    memory.address = (uint8_t)address;
    memory.before = memory.image[address];
    memory.image[address] = byte;
    if (memory.next == WORDS) {
        erase(address_of(other(), 0));
        memory.step = ERASING;
    } else {
        program_word(memory.sector, memory.next, entry((uint8_t)address, byte));
        memory.next++;
        memory.step = WRITING;
    }
}
