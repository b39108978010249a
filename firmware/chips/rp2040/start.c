/* SPDX-License-Identifier: Apache-2.0
 *
 * From the flash into RAM: clocks, then the program and its variables, then main.
 *
 * Rule: the program runs in RAM only. The flash is free then to erase and write settings while the board is scanned.
 */
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"

#define IN_FLASH __attribute__((section(".start"), noinline))

/* Of the linker script. */
extern uint32_t ram_begin[], ram_end[], ram_in_flash[], bss_begin[], bss_end[], stack_begin[], stack_end[];

int main(void);
void start(void);

typedef void (*vector_t)(void);

/* All that the boot stage wants: where the stack is and what to call. */
static const struct {
    uint32_t *stack;
    vector_t start;
} flash_vectors __attribute__((used, section(".flash_vectors"))) = {stack_end, start};

/* An interrupt that nobody asked for, or a fault: the watchdog restarts the chip. */
static void hang(void)
{
    for (;;) {
    }
}

#define VECTORS (16 + 26)
static const vector_t vectors[VECTORS] __attribute__((used, aligned(256), section(".vectors"))) = {
    (vector_t)(uintptr_t)stack_end, start, hang, hang, hang, hang, hang, hang,
    hang, hang, hang, hang, hang, hang, hang, hang,
    [16 + IRQ_TIMER_0] = wake_interrupt,
    [16 + IRQ_TIMER_0 + 1 ... 16 + IRQ_USB - 1] = hang,
    [16 + IRQ_USB] = usb_interrupt,
    [16 + IRQ_USB + 1 ... 16 + IRQ_UART0 - 1] = hang,
    [16 + IRQ_UART0] = line_interrupt,
    [16 + IRQ_UART0 + 1 ... VECTORS - 1] = hang,
};

/* Crystal 12 MHz, PLL 1200 MHz, system, peripherals and USB 48 MHz. */
static void IN_FLASH start_clocks(void)
{
    XOSC_CTRL = XOSC_RANGE_1_15MHZ;
    XOSC_STARTUP = (XOSC_HZ / 1000 + 128) / 256; /* 1 ms */
    SET_BITS(XOSC_CTRL) = XOSC_ENABLE;
    while ((XOSC_STATUS & XOSC_STABLE) == 0) {
    }
    CLK_REF_CTRL = 2; /* crystal */
    while (CLK_REF_SELECTED != BIT(2)) {
    }
    CLK_SYS_CTRL = 0; /* the reference */
    while (CLK_SYS_SELECTED != BIT(0)) {
    }
    SET_BITS(RESETS_RESET) = RESET_PLL_SYS;
    CLEAR_BITS(RESETS_RESET) = RESET_PLL_SYS;
    while ((RESETS_DONE & RESET_PLL_SYS) == 0) {
    }
    PLL_SYS_CS = 1; /* the crystal undivided */
    PLL_SYS_FBDIV = 1200000000ul / XOSC_HZ;
    CLEAR_BITS(PLL_SYS_PWR) = PLL_PD | PLL_VCOPD;
    while ((PLL_SYS_CS & PLL_LOCK) == 0) {
    }
    PLL_SYS_PRIM = 5ul << 16 | 5ul << 12;
    CLEAR_BITS(PLL_SYS_PWR) = PLL_POSTDIVPD;
    CLK_SYS_CTRL = 1; /* the PLL */
    while (CLK_SYS_SELECTED != BIT(1)) {
    }
    CLK_PERI_CTRL = BIT(11); /* as the system */
    CLK_USB_CTRL = CLK_FROM_PLL_SYS; /* it wants 48 MHz */
    WATCHDOG_TICK = WATCHDOG_TICK_ENABLE | XOSC_HZ / 1000000; /* the microseconds of timer and watchdog */
}

void IN_FLASH start(void)
{
    start_clocks();
    const uint32_t *from = ram_in_flash;
    for (uint32_t *to = ram_begin; to != ram_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_begin; to != bss_end; to++) {
        *to = 0;
    }
    SCB_VTOR = (uint32_t)(uintptr_t)vectors;
    (void)main();
    hang();
}
