// SPDX-License-Identifier: Apache-2.0
#include <companion.h>

void setup()
{
    companion_setup();
}

void loop()
{
    companion_loop();
}
