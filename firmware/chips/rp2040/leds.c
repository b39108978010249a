/* SPDX-License-Identifier: Apache-2.0
 *
 * WS2812 LEDs on one pin: a state machine of the PIO makes the pulses, and a DMA channel feeds it.
 *
 * Rule: nothing waits for the strip, so the board is scanned while it is written. An image that comes while another one is
 * on its way replaces what still waits, and is sent when the strip has latched.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"

#define LED_US 30u   /* 24 bits of 1.25 */
#define LATCH_US 300u /* data sheet: 280 of low end an image */
#define STEP_HZ 8000000ul

/* Ten steps of 125 ns a bit: three high (375 ns) for a zero, six (750 ns) for a one. */
static const uint16_t program[] = {
    0x6321, /* bit:  out x, 1      side 0 [3] */
    0x1223, /*       jmp !x, zero  side 1 [2] */
    0x1200, /*       jmp bit       side 1 [2] */
    0xA242, /* zero: nop           side 0 [2] */
};
#define PROGRAM_LENGTH (sizeof program / sizeof *program)

#define SIDE_SET_ONE_PIN (1ul << 29)
#define SIDE_SET_BASE ((uint32_t)LED_PIN << 10)
#define SET_ONE_PIN (1ul << 26)
#define SET_BASE ((uint32_t)LED_PIN << 5)
#define SET_DIRECTION_OUT 0xE081ul /* set pindirs, 1 */
#define JOIN_TX BIT(30)
#define PULL_AT_24 (24ul << 25)
#define AUTOPULL BIT(17)

static struct {
    uint32_t image[PANEL_LEDS + 1];   /* as last given, a word an LED */
    uint32_t sending[PANEL_LEDS + 1]; /* read by the DMA */
    uint16_t waiting;                 /* LEDs of the image to be sent */
    uint16_t sent;                    /* LEDs of the last transfer */
    uint32_t begun_us;                /* of it */
} strip;

void leds_init_pin(void)
{
    for (uint8_t at = 0; at < PROGRAM_LENGTH; at++) {
        PIO_INSTR_MEM(at) = program[at];
    }
    PIO_SM0_CLKDIV = SYS_HZ / STEP_HZ << 16;
    PIO_SM0_EXECCTRL = (PROGRAM_LENGTH - 1) << 12; /* wraps to 0 */
    PIO_SM0_SHIFTCTRL = JOIN_TX | PULL_AT_24 | AUTOPULL; /* to the left: bit 31 first */
    PIO_SM0_PINCTRL = SIDE_SET_ONE_PIN | SIDE_SET_BASE | SET_ONE_PIN | SET_BASE;
    PIO_SM0_INSTR = SET_DIRECTION_OUT;
    pin_function(LED_PIN, FUNCTION_PIO0, PAD_PLAIN);
    PIO_CTRL = BIT(0);
    DMA_WRITE_ADDR = (uint32_t)(uintptr_t)&PIO_TXF0;
}

/* A strip written before the last image is latched would only shift it on. */
void leds_turn(void)
{
    if (strip.waiting == 0 || hal_now_us() - strip.begun_us < strip.sent * LED_US + LATCH_US) {
        return;
    }
    for (uint16_t place = 0; place < strip.waiting; place++) {
        strip.sending[place] = strip.image[place];
    }
    DMA_READ_ADDR = (uint32_t)(uintptr_t)strip.sending;
    DMA_TRANS_COUNT = strip.waiting;
    __asm__ volatile("" ::: "memory"); /* the words are in RAM before the DMA reads them */
    DMA_CTRL_TRIG = DMA_ENABLE | DMA_WORDS | DMA_INCR_READ | DMA_TREQ_PIO0_TX0;
    strip.sent = strip.waiting;
    strip.waiting = 0;
    strip.begun_us = hal_now_us();
}

bool hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3], const struct levels *watched)
{
    (void)watched;
    uint32_t words[LINK_PALETTE_SIZE];
    for (uint8_t index = 0; index < LINK_PALETTE_SIZE; index++) {
        const uint8_t *rgb = palette[index];
        words[index] = (uint32_t)rgb[1] << 24 | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[2] << 8;
    }
    for (uint16_t place = 0; place < count; place++) {
        uint8_t pair = colours[place >> 1];
        strip.image[place] = words[(place & 1u) != 0 ? pair >> 4 : pair & 0xFu];
    }
    if (count > strip.waiting) {
        strip.waiting = count;
    }
    leds_turn();
    return true;
}
