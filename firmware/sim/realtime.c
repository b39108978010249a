/* SPDX-License-Identifier: Apache-2.0
 *
 * The panel against the wall clock: a thread runs it in slices and joins its serial line to a pty.
 *
 * Rule: the thread holds the lock for one slice at a time; when the machine falls behind by more than LAG_LIMIT
 * the lost time is skipped rather than caught up, and the worst lag is reported.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

enum { SLICE_NS = 200000, LAG_LIMIT_NS = 50000000, CHUNK = 512 };

static void from_pty(struct sim *sim)
{
    uint8_t bytes[CHUNK];
    const ssize_t count = read(sim->realtime.master, bytes, sizeof bytes);
    for (ssize_t index = 0; index < count; index++) {
        record(sim, SIM_HOST_OUT, sim->avr->cycle, bytes[index]);
        line_push(sim, &sim->to_chip, bytes[index]);
    }
    uart_line_has_bytes(sim);
}

static void to_pty(struct sim *sim)
{
    uint8_t bytes[CHUNK];
    const size_t count = line_take(sim, bytes, NULL, sizeof bytes);
    if (!count)
        return;
    const ssize_t written = write(sim->realtime.master, bytes, count);
    for (ssize_t index = 0; index < written; index++)
        record(sim, SIM_HOST_IN, sim->avr->cycle, bytes[index]);
    if (written < (ssize_t)count)
        sim->counts.tx_lost += count - (size_t)(written < 0 ? 0 : written);
}

static void run_slice(struct sim *sim)
{
    struct realtime *realtime = &sim->realtime;
    const int64_t now = monotonic_ns();
    const uint64_t elapsed = (uint64_t)(now - realtime->anchor_ns);
    const uint64_t target = realtime->anchor_cycle + elapsed / 1000 * sim->topology.clock_hz / 1000000;
    pthread_mutex_lock(&sim->lock);
    from_pty(sim);
    if (target > sim->avr->cycle)
        sim_run(sim, target - sim->avr->cycle);
    to_pty(sim);
    const int64_t lag = monotonic_ns() - now;
    if (lag > realtime->worst_lag_ns)
        realtime->worst_lag_ns = lag;
    if (lag > LAG_LIMIT_NS || sim->has_crashed) {
        realtime->anchor_ns = monotonic_ns();
        realtime->anchor_cycle = sim->avr->cycle;
    }
    pthread_mutex_unlock(&sim->lock);
}

static void *keep_time(void *param)
{
    struct sim *sim = param;
    struct realtime *realtime = &sim->realtime;
    prctl(PR_SET_TIMERSLACK, 1000);  /* the default 50 us would stretch every slice by a quarter */
    int64_t next = realtime->anchor_ns;
    while (!__atomic_load_n(&realtime->stop, __ATOMIC_ACQUIRE)) {
        run_slice(sim);
        next += SLICE_NS;
        if (next < monotonic_ns())
            next = monotonic_ns();
        const struct timespec until = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return NULL;
}

const char *sim_rt_start(struct sim *sim)
{
    struct realtime *realtime = &sim->realtime;
    if (realtime->is_running) {
        errno = EBUSY;
        return NULL;
    }
    struct termios raw = {0};
    cfmakeraw(&raw);
    if (openpty(&realtime->master, &realtime->slave, realtime->name, &raw, NULL) != 0)
        return NULL;
    fcntl(realtime->master, F_SETFL, O_NONBLOCK);
    realtime->stop = false;
    realtime->worst_lag_ns = 0;
    realtime->anchor_ns = monotonic_ns();
    realtime->anchor_cycle = sim->avr->cycle;
    realtime->is_running = true;
    if (pthread_create(&realtime->thread, NULL, keep_time, sim) == 0)
        return realtime->name;
    realtime->is_running = false;
    close(realtime->master);
    close(realtime->slave);
    return NULL;
}

void realtime_stop(struct sim *sim)
{
    struct realtime *realtime = &sim->realtime;
    if (!realtime->is_running)
        return;
    __atomic_store_n(&realtime->stop, true, __ATOMIC_RELEASE);
    pthread_join(realtime->thread, NULL);
    realtime->is_running = false;
    close(realtime->master);
    close(realtime->slave);
}

void sim_rt_stop(struct sim *sim)
{
    realtime_stop(sim);
}

int64_t sim_rt_worst_lag_ns(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    const int64_t lag = sim->realtime.worst_lag_ns;
    pthread_mutex_unlock(&sim->lock);
    return lag;
}
