# SPDX-License-Identifier: Apache-2.0
# The simulator harness: firmware/build/libcompanion_sim.so, and the small programs that test it.
# Include it from firmware/Makefile, or use it alone from anywhere: make -f firmware/sim/sim.mk sim

SIM_DIR := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
SIM_BUILD ?= $(SIM_DIR)/../build
SIM_CC ?= gcc
SIM_AVR_CC ?= avr-gcc
SIM_FLAGS := -std=gnu11 -O2 -g -fPIC -Wall -Wextra -Werror -fvisibility=default
SIM_SOURCES := $(wildcard $(SIM_DIR)/*.c)
SIM_SELFTESTS := $(patsubst $(SIM_DIR)/selftest/%.c,%,$(wildcard $(SIM_DIR)/selftest/*.c))

.PHONY: sim
sim: $(SIM_BUILD)/libcompanion_sim.so \
     $(foreach mcu,atmega328p atmega2560,$(SIM_SELFTESTS:%=$(SIM_BUILD)/selftest_%_$(mcu).elf))

# libsimavr is GPL-3: this library is for tests and is never shipped.
$(SIM_BUILD)/libcompanion_sim.so: $(SIM_SOURCES) $(wildcard $(SIM_DIR)/*.h)
	@mkdir -p $(SIM_BUILD)
	$(SIM_CC) $(SIM_FLAGS) -shared -o $@ $(SIM_SOURCES) -lsimavr -lutil -lpthread -lm

$(SIM_BUILD)/selftest_%_atmega328p.elf: $(SIM_DIR)/selftest/%.c
	@mkdir -p $(SIM_BUILD)
	$(SIM_AVR_CC) -mmcu=atmega328p -DF_CPU=16000000UL -std=gnu11 -Os -Wall -Wextra -Werror -o $@ $<

$(SIM_BUILD)/selftest_%_atmega2560.elf: $(SIM_DIR)/selftest/%.c
	@mkdir -p $(SIM_BUILD)
	$(SIM_AVR_CC) -mmcu=atmega2560 -DF_CPU=16000000UL -std=gnu11 -Os -Wall -Wextra -Werror -o $@ $<
