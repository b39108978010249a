/* SPDX-License-Identifier: Apache-2.0
 *
 * The chip: loading, running, resetting, and looking into its memory.
 *
 * Rule: every function of sim.h that tests call holds the lock, because a real-time thread may be running.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <simavr/avr_extint.h>
#include <simavr/sim_elf.h>

#include "parts.h"

enum { MCUSR = 0x54, GPIOR0 = 0x3E, PORF = 0x01, WDRF = 0x08 };  /* the same on the 328P and the 2560 */

static void stay_silent(struct avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr, (void)level, (void)format, (void)arguments;
}

/* Virtual time needs no waiting: libsimavr adds the slept cycles by itself. */
static void sleep_at_once(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles;
}

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void *find_module(struct sim *sim, const char *kind, char name)
{
    for (avr_io_t *io = sim->avr->io_port; io; io = io->next) {
        if (!io->kind || strcmp(io->kind, kind) != 0)
            continue;
        if (!name || (strcmp(kind, "uart") == 0 && ((avr_uart_t *)io)->name == name)
            || (strcmp(kind, "port") == 0 && ((avr_ioport_t *)io)->name == name))
            return io;
    }
    return NULL;
}

void record(struct sim *sim, enum sim_kind kind, uint64_t cycle, uint32_t value)
{
    if (sim->log_count == LOG_SIZE) {
        sim->log_head = (sim->log_head + 1) % LOG_SIZE;
        sim->log_count--;
        sim->counts.log_lost++;
    }
    sim->log[(sim->log_head + sim->log_count++) % LOG_SIZE] = (struct sim_record){
        .cycle = cycle, .ns = sim->realtime.is_running ? monotonic_ns() : 0, .kind = kind, .value = value};
}

void watch_pin(struct sim *sim, int pin, avr_irq_notify_t notify)
{
    if (pin < 0)
        return;
    avr_irq_t *irq = avr_io_getirq(sim->avr, AVR_IOCTL_IOPORT_GETIRQ('A' + pin / 8), pin % 8);
    avr_irq_register_notify(irq, notify, sim);
}

static void on_probe(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    avr->data[address] = value;
    record(param, SIM_PROBE, avr->cycle, value);
}

/* Called by libsimavr in every reset. */
static void on_chip_reset(struct avr_io_t *io)
{
    struct sim *sim = (struct sim *)io;
    const bool is_watchdog = sim->avr->data[MCUSR] & WDRF;  /* its own reset comes before this one */
    sim->counts.resets++;
    record(sim, SIM_RESET, sim->avr->cycle, is_watchdog ? WDRF : sim->reset_cause);
    sim->was_reset = true;
    interrupts_reset(sim);
    uart_reset(sim);
    spi_reset(sim);
    twi_reset(sim);
    eeprom_reset(sim);
    inputs_reset(sim);
}

/* libsimavr looks at every low INT pin once a cycle, wanted or not, which takes three quarters of the time. */
static void calm_external_interrupts(struct sim *sim)
{
    sim->was_reset = false;
    for (uint8_t number = 0; number < EXTINT_COUNT; number++)
        avr_extint_set_strict_lvl_trig(sim->avr, number, 0);
}

static bool attach_all(struct sim *sim)
{
    sim->io.kind = "companion";
    sim->io.reset = on_chip_reset;
    avr_register_io(sim->avr, &sim->io);
    interrupts_attach(sim);
    if (!uart_attach(sim) || !spi_attach(sim) || !twi_attach(sim) || !eeprom_attach(sim) || !watchdog_attach(sim))
        return false;
    if (!inputs_attach(sim) || !hall_attach(sim) || !leds_attach(sim))
        return false;
    lcd_attach(sim);
    avr_register_io_write(sim->avr, GPIOR0, on_probe, sim);
    return true;
}

static struct sim *give_up(struct sim *sim, char *why, size_t why_size, const char *reason)
{
    snprintf(why, why_size, "%s", reason);
    if (sim && sim->avr) {
        avr_terminate(sim->avr);
        free(sim->avr);
    }
    free(sim);
    return NULL;
}

struct sim *sim_new(const char *elf_path, const char *mcu, const struct sim_topology *topology, char *why,
                    size_t why_size)
{
    avr_global_logger_set(stay_silent);
    elf_firmware_t firmware = {0};
    if (elf_read_firmware(elf_path, &firmware) != 0)
        return give_up(NULL, why, why_size, "no AVR program could be read from the ELF");
    struct sim *sim = calloc(1, sizeof *sim);
    sim->topology = *topology;
    sim->avr = avr_make_mcu_by_name(mcu);
    if (!sim->avr)
        return give_up(sim, why, why_size, "libsimavr does not know this chip");
    avr_init(sim->avr);
    firmware.frequency = topology->clock_hz;
    avr_load_firmware(sim->avr, &firmware);
    free(firmware.flash);  /* it has been copied */
    sim->avr->frequency = topology->clock_hz;
    sim->avr->vcc = sim->avr->avcc = sim->avr->aref = 5000;
    sim->avr->sleep = sleep_at_once;
    sim->avr->run_cycle_limit = 64;  /* so that pins and timers are looked at every 4 us */
    sim->avr->log = LOG_NONE;
    if (!attach_all(sim))
        return give_up(sim, why, why_size, "the chip lacks a module that the panel needs");
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&sim->lock, &recursive);
    sim_power_cycle(sim, 1);
    return sim;
}

void sim_free(struct sim *sim)
{
    realtime_stop(sim);
    for (avr_io_t **io = &sim->avr->io_port; *io; io = &(*io)->next)
        if (*io == &sim->io) {
            *io = sim->io.next;  /* ours is not on libsimavr's heap */
            break;
        }
    avr_terminate(sim->avr);
    free(sim->avr);
    free(sim->eeprom.wear);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
}

int sim_run(struct sim *sim, uint64_t cycles)
{
    pthread_mutex_lock(&sim->lock);
    const uint64_t until = sim->avr->cycle + cycles;
    while (sim->avr->cycle < until && !sim->has_crashed) {
        if (sim->was_reset)
            calm_external_interrupts(sim);
        const int state = avr_run(sim->avr);
        sim->has_crashed = state == cpu_Crashed || state == cpu_Done;
    }
    leds_settle(sim);
    pthread_mutex_unlock(&sim->lock);
    return sim->has_crashed ? -1 : 0;
}

uint64_t sim_cycle(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    const uint64_t cycle = sim->avr->cycle;
    pthread_mutex_unlock(&sim->lock);
    return cycle;
}

/* A pulse on RESET keeps the SRAM, as on silicon. */
void sim_reset(struct sim *sim, uint8_t mcusr)
{
    pthread_mutex_lock(&sim->lock);
    const size_t first = sim->avr->ioend + 1u, count = sim->avr->ramend - sim->avr->ioend;
    uint8_t *kept = malloc(count);
    memcpy(kept, sim->avr->data + first, count);
    sim->reset_cause = (uint8_t)(mcusr & PORF ? mcusr : sim->avr->data[MCUSR] | mcusr);
    avr_reset(sim->avr);
    memcpy(sim->avr->data + first, kept, count);
    free(kept);
    sim->avr->data[MCUSR] = sim->reset_cause;
    sim->has_crashed = false;
    pthread_mutex_unlock(&sim->lock);
}

/* Power off and on: SRAM wakes with chance content, the EEPROM cell being written is spoilt. */
void sim_power_cycle(struct sim *sim, uint64_t seed)
{
    pthread_mutex_lock(&sim->lock);
    uint64_t random = seed * 0x9E3779B97F4A7C15u + 1;
    if (sim->eeprom.is_busy)
        sim->eeprom.io->eeprom[sim->eeprom.busy_address] ^= (uint8_t)(random * 0x9D);
    for (uint32_t address = sim->avr->ioend + 1u; address <= sim->avr->ramend; address++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        sim->avr->data[address] = (uint8_t)random;
    }
    lcd_power_up(&sim->lcd);
    sim_reset(sim, PORF);
    pthread_mutex_unlock(&sim->lock);
}

size_t sim_records(struct sim *sim, struct sim_record *records, size_t room)
{
    pthread_mutex_lock(&sim->lock);
    size_t count = 0;
    for (; count < room && sim->log_count; count++, sim->log_count--) {
        records[count] = sim->log[sim->log_head];
        sim->log_head = (sim->log_head + 1) % LOG_SIZE;
    }
    pthread_mutex_unlock(&sim->lock);
    return count;
}

void sim_counts(struct sim *sim, struct sim_counts *counts)
{
    pthread_mutex_lock(&sim->lock);
    *counts = sim->counts;
    pthread_mutex_unlock(&sim->lock);
}

int sim_vector(struct sim *sim, uint32_t vector, struct sim_vector *figures)
{
    if (vector >= SIM_VECTORS)
        return -1;
    pthread_mutex_lock(&sim->lock);
    *figures = sim->vectors[vector].figures;
    pthread_mutex_unlock(&sim->lock);
    return 0;
}

/* Forgets counts, waveform and interrupt figures, so that a test can measure from here. */
void sim_clear_figures(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    sim->counts = (struct sim_counts){0};
    sim->leds.waveform = (struct sim_waveform){0};
    for (int index = 0; index < SIM_VECTORS; index++)
        sim->vectors[index].figures = (struct sim_vector){0};
    pthread_mutex_unlock(&sim->lock);
}

void sim_peek(struct sim *sim, uint32_t address, uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&sim->lock);
    memcpy(bytes, sim->avr->data + address, count);
    pthread_mutex_unlock(&sim->lock);
}

void sim_poke(struct sim *sim, uint32_t address, const uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&sim->lock);
    memcpy(sim->avr->data + address, bytes, count);
    pthread_mutex_unlock(&sim->lock);
}

uint32_t sim_stack_pointer(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    const uint32_t pointer = sim->avr->data[R_SPL] | (uint32_t)sim->avr->data[R_SPH] << 8;
    pthread_mutex_unlock(&sim->lock);
    return pointer;
}

uint32_t sim_ram_end(struct sim *sim)
{
    return sim->avr->ramend;
}
