/* SPDX-License-Identifier: Apache-2.0
 *
 * Start, clock, EEPROM, watchdog, and what the chip knows of its past.
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "chips/avr/avr.h"
#include "core/crc.h"
#include "hal/hal.h"
#include "hal/start.h"

#define NOINIT __attribute__((section(".noinit")))
#define PAINT 0xC5
#define COMMANDED 0xC0DE
#define STACK_RESERVE 16 /* bytes below the stack pointer that painting leaves alone */

/* These outlive a reset. */
static uint8_t saved_mcusr NOINIT;
static uint16_t saved_session NOINIT;
static uint16_t saved_command NOINIT;
static uint16_t memory_noise NOINIT;

extern uint8_t __heap_start;

/* Before variables are set up: the watchdog may still be running from the reset it caused. Optiboot clears MCUSR and
 * leaves it in r2. A naked function may hold assembly only; the stack is there already. */
void early(void) __attribute__((naked, used, section(".init3")));
void early(void)
{
    __asm__ volatile("mov r24, r2\n\t"
                     "call look_back");
}

/* Free memory gives its noise to the session and the unique id, then is painted to measure the stack. */
void look_back(uint8_t from_bootloader) __attribute__((noinline, used));
void look_back(uint8_t from_bootloader)
{
    saved_mcusr = MCUSR != 0 ? MCUSR : (from_bootloader & 0xF0u) == 0 ? from_bootloader : 0;
    MCUSR = 0;
    wdt_disable();
    uint16_t noise = CRC_BEGIN;
    for (uint8_t *at = &__heap_start; at < (uint8_t *)(SP - STACK_RESERVE); at++) {
        noise = (uint16_t)((uint16_t)(noise << 5 | noise >> 11) ^ *at);
        *at = PAINT;
    }
    memory_noise = noise;
}

void chip_init(void)
{
    if ((saved_mcusr & _BV(PORF)) != 0) {
        saved_session ^= memory_noise;
        saved_command = 0;
    }
    saved_session++;
    TCCR1A = 0;
    TCCR1B = _BV(CS11) | _BV(CS10); /* 4 us a count, for ever */
    line_init();
    leds_pin_init();
    buttons_init();
    scan_init();
    display_init();
    tone_init();
    wdt_enable(WDTO_250MS);
    sei();
}

void chip_end_turn(void)
{
    wdt_reset();
}

uint32_t hal_now_us(void)
{
    static uint16_t last;
    static uint32_t counts;
    uint16_t now = TCNT1;
    counts += (uint16_t)(now - last);
    last = now;
    return counts << 2;
}

uint8_t hal_memory_read(uint16_t address)
{
    return eeprom_read_byte((const uint8_t *)address);
}

bool hal_memory_is_ready(void)
{
    return eeprom_is_ready();
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    EEAR = address;
    EEDR = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        EECR = _BV(EEMPE); /* erase and write; EEPE must follow within four cycles */
        EECR |= _BV(EEPE);
    }
}

uint8_t hal_reset_cause(void)
{
    if ((saved_mcusr & _BV(PORF)) != 0) {
        return LINK_RESET_CAUSE_POWER_ON;
    }
    if ((saved_mcusr & _BV(WDRF)) != 0) {
        bool is_commanded = saved_command == COMMANDED;
        saved_command = 0;
        return is_commanded ? LINK_RESET_CAUSE_COMMAND : LINK_RESET_CAUSE_WATCHDOG;
    }
    if ((saved_mcusr & _BV(BORF)) != 0) {
        return LINK_RESET_CAUSE_BROWN_OUT;
    }
    return (saved_mcusr & _BV(EXTRF)) != 0 ? LINK_RESET_CAUSE_EXTERNAL : LINK_RESET_CAUSE_UNKNOWN;
}

uint16_t hal_session(void)
{
    return saved_session;
}

/* The last bits of an open analogue input, the memory as it was at power-on, and the clock. */
uint32_t hal_entropy(void)
{
    static uint16_t rounds;
    uint16_t noise = memory_noise ^ rounds++;
    ADMUX = _BV(REFS0) | 7;
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
    for (uint8_t sample = 0; sample < 8; sample++) {
        ADCSRA |= _BV(ADSC);
        while ((ADCSRA & _BV(ADSC)) != 0) {
        }
        noise = crc_add(noise, (uint8_t)(ADCL ^ ADCH));
    }
    ADCSRA = 0;
    return (uint32_t)noise << 16 | (uint16_t)(saved_session ^ TCNT1);
}

uint16_t hal_stack_free(void)
{
    const uint8_t *at = &__heap_start;
    while (at < (const uint8_t *)RAMEND && *at == PAINT) {
        at++;
    }
    return (uint16_t)(at - &__heap_start);
}

void hal_reset(void)
{
    *(volatile uint16_t *)&saved_command = COMMANDED; /* nothing below reads it: the compiler would leave it out */
    wdt_enable(WDTO_15MS);
    for (;;) {
    }
}
