/* SPDX-License-Identifier: Apache-2.0
 *
 * Analogue hall sensors on 74HC4067 multiplexers: the voltage the ADC samples when a conversion begins.
 *
 * A magnet lifts or lowers the voltage, according to its pole: here by the parity of the sensor's position.
 * Source: DRV5055 data sheet (half the supply at rest); a new channel takes `channel_cycles` to come through.
 */
#include "parts.h"

enum { REST_MV = 2500, MAGNET_MV = 1200 };

static uint8_t channel_felt(const struct sim *sim)
{
    const bool has_settled = sim->avr->cycle - sim->channel_changed_at >= sim->topology.channel_cycles;
    return has_settled ? sim->channel : sim->old_channel;
}

static void on_select(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value;
    struct sim *sim = param;
    uint8_t channel = 0;
    for (int bit = 0; bit < 4; bit++) {
        const int pin = sim->topology.select_pin[bit];
        if (pin >= 0)
            channel |= (uint8_t)((sim->avr->data[sim->ports[pin / 8].io->r_port] >> pin % 8 & 1) << bit);
    }
    if (channel == sim->channel)
        return;
    sim->old_channel = channel_felt(sim);
    sim->channel = channel;
    sim->channel_changed_at = sim->avr->cycle;
}

static void on_conversion(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    struct sim *sim = param;
    union {
        uint32_t value;
        avr_adc_mux_t mux;
    } chosen = {.value = value};
    const unsigned row = chosen.mux.src, column = channel_felt(sim);
    if (chosen.mux.kind != ADC_MUX_SINGLE || row >= sim->topology.rows)
        return;
    const bool is_closed = sim->closed[row][column / 8] >> column % 8 & 1;
    const int pole = (row + column) % 2 ? MAGNET_MV : -MAGNET_MV;
    avr_raise_irq(avr_io_getirq(sim->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + (int)row),
                  (uint32_t)(REST_MV + (is_closed ? pole : 0)));
}

bool hall_attach(struct sim *sim)
{
    if (sim->topology.select_pin[0] < 0)
        return true;
    for (int bit = 0; bit < 4; bit++)
        watch_pin(sim, sim->topology.select_pin[bit], on_select);
    avr_irq_t *trigger = avr_io_getirq(sim->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER);
    if (trigger)
        avr_irq_register_notify(trigger, on_conversion, sim);
    return trigger != NULL;
}
