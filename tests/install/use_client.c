/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that reports events, in words that C and C++ share.
 */
#include <tacho/client.h>

static void step(int number)
{
    TACHO_ZONE("step");
    TACHO_COUNTER("number", "count", number);
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        step(i);
    }
    return 0;
}
