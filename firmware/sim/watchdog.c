/* SPDX-License-Identifier: Apache-2.0
 *
 * The watchdog: a new time-out counts at once.
 *
 * libsimavr's model lets a running watchdog go on with its old time until the next WDR.
 */
#include "parts.h"

static void write_control(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct watchdog *watchdog = &((struct sim *)param)->watchdog;
    const avr_cycle_count_t before = watchdog->io->cycle_count;
    watchdog->write(avr, address, value, watchdog->write_param);
    if (watchdog->io->cycle_count != before && avr_regbit_get(avr, watchdog->io->wde))
        avr_ioctl(avr, AVR_IOCTL_WATCHDOG_RESET, NULL);
}

/* WDR asks all modules in turn whose it is, thousands of times a second: let this one be asked first. */
static void move_to_front(struct sim *sim, avr_io_t *io)
{
    avr_io_t **link = &sim->avr->io_port;
    while (*link != io)
        link = &(*link)->next;
    *link = io->next;
    io->next = sim->avr->io_port;
    sim->avr->io_port = io;
}

bool watchdog_attach(struct sim *sim)
{
    avr_watchdog_t *io = find_module(sim, "watchdog", 0);
    if (!io)
        return false;
    const int at = AVR_DATA_TO_IO(io->wde.reg);
    sim->watchdog.io = io;
    move_to_front(sim, &io->io);
    sim->watchdog.write = sim->avr->io[at].w.c;
    sim->watchdog.write_param = sim->avr->io[at].w.param;
    sim->avr->io[at].w.c = write_control;
    sim->avr->io[at].w.param = sim;
    return true;
}
