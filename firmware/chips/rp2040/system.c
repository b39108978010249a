/* SPDX-License-Identifier: Apache-2.0
 *
 * Set-up, time, watchdog, sleep between turns, and what the chip knows of its past.
 */
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"
#include "hal/start.h"

#define WATCHDOG_US 500000ul /* a new panel waits for an erasure of its flash, which takes 400 ms at most */
#define WAKE_US 100ul /* the longest sleep, nearly */
#define SETTING_US 10ul /* more than it takes to set an alarm */
#define PAINT 0xC5C5C5C5ul
#define STACK_RESERVE 64 /* bytes below the stack pointer that painting leaves alone */

#define USED_BLOCKS                                                                                     \
    (RESET_DMA | RESET_I2C0 | RESET_IO_BANK0 | RESET_IO_QSPI | RESET_PADS_BANK0 | RESET_PIO0 | RESET_PWM | \
     RESET_SPI0 | RESET_TIMER | RESET_UART0 | RESET_USBCTRL)

/* Of the linker script. */
extern uint32_t stack_begin[], stack_end[];

static uint8_t reset_cause;
static uint16_t session;

/* Each bit is the exclusive or of eight of the ring oscillator, apart by some microseconds: single ones are alike. */
static uint32_t random_bits(uint8_t count)
{
    uint32_t bits = 0;
    for (uint16_t sample = 0; sample < count * 8u; sample++) {
        if ((sample & 7u) == 0) {
            bits <<= 1;
        }
        bits ^= ROSC_RANDOMBIT & 1u;
        for (volatile uint8_t pause = 0; pause < 20; pause++) {
        }
    }
    return bits;
}

static void look_back(void)
{
    uint32_t reason = WATCHDOG_REASON, chip = CHIP_RESET;
    bool is_warm = reason != 0;
    if ((reason & WATCHDOG_REASON_FORCE) != 0) {
        reset_cause = LINK_RESET_CAUSE_COMMAND;
    } else if ((reason & WATCHDOG_REASON_TIMER) != 0) {
        reset_cause = LINK_RESET_CAUSE_WATCHDOG;
    } else if ((chip & CHIP_RESET_HAD_RUN) != 0) {
        reset_cause = LINK_RESET_CAUSE_EXTERNAL;
    } else {
        reset_cause = (chip & CHIP_RESET_HAD_POR) != 0 ? LINK_RESET_CAUSE_POWER_ON : LINK_RESET_CAUSE_UNKNOWN;
    }
    /* The scratch registers outlive the watchdog's resets only. */
    session = (uint16_t)(is_warm ? WATCHDOG_SCRATCH(0) + 1 : random_bits(16));
    WATCHDOG_SCRATCH(0) = session;
}

static void paint_stack(void)
{
    uintptr_t top;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    for (uint32_t *at = stack_begin; (uintptr_t)at < top - STACK_RESERVE; at++) {
        *at = PAINT;
    }
}

void pin_function(uint8_t pin, uint8_t function, uint32_t pad)
{
    PAD(pin) = pad;
    GPIO_CTRL(pin) = function;
}

void chip_init(void)
{
    paint_stack();
    SET_BITS(RESETS_RESET) = USED_BLOCKS & ~(RESET_IO_QSPI | RESET_TIMER);
    CLEAR_BITS(RESETS_RESET) = USED_BLOCKS;
    while ((RESETS_DONE & USED_BLOCKS) != USED_BLOCKS) {
    }
    look_back();
    memory_init();
    line_init();
    usb_init();
    leds_init_pin();
    buttons_init();
    scan_init();
    display_init();
    tone_init();
    TIMER_INTE = BIT(0);
    NVIC_ISER = BIT(IRQ_TIMER_0) | BIT(IRQ_UART0) | BIT(IRQ_USB);
    PSM_WDSEL = PSM_ALL_BUT_OSCILLATORS;
    WATCHDOG_LOAD = WATCHDOG_US * 2; /* it counts twice a microsecond: erratum E1 */
    SET_BITS(WATCHDOG_CTRL) = WATCHDOG_ENABLE;
}

void wake_interrupt(void)
{
    TIMER_INTR = BIT(0);
}

/* A byte or the timer ends the sleep. The timer does it at multiples of WAKE_US, so that every scan is late by the same time:
 * contacts close to the debouncing time want scans at equal distances. Interrupts are masked, which does not keep them from
 * ending the sleep: an alarm that passed before it was set would come an hour later. */
void chip_end_turn(void)
{
    WATCHDOG_LOAD = WATCHDOG_US * 2;
    __asm__ volatile("cpsid i" ::: "memory");
    TIMER_ALARM0 = ((TIMER_RAWL + SETTING_US) / WAKE_US + 1) * WAKE_US;
    __asm__ volatile("wfi\n\tcpsie i" ::: "memory");
    line_poll();
    leds_turn();
}

uint32_t hal_now_us(void)
{
    return TIMER_RAWL;
}

void wait_us(uint32_t us)
{
    uint32_t begun_us = TIMER_RAWL;
    while (TIMER_RAWL - begun_us < us + 1) { /* the first microsecond had begun already */
    }
}

uint8_t hal_reset_cause(void)
{
    return reset_cause;
}

uint16_t hal_session(void)
{
    return session;
}

uint32_t hal_entropy(void)
{
    return random_bits(32) ^ TIMER_RAWL;
}

uint16_t hal_stack_free(void)
{
    const uint32_t *at = stack_begin;
    while (at != stack_end && *at == PAINT) {
        at++;
    }
    return (uint16_t)((at - stack_begin) * (int)sizeof *at);
}

void hal_reset(void)
{
    SET_BITS(WATCHDOG_CTRL) = WATCHDOG_TRIGGER;
    for (;;) {
    }
}
