/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor's note that an operation of this thread was invalid: FE_INVALID of <fenv.h>, read
 * from the one register that counts where there is one, since the functions of the C library cost
 * as much as a small kernel.
 */
#ifndef TACHO_KERNELS_INVALID_H
#define TACHO_KERNELS_INVALID_H

#include <stdbool.h>

#ifdef __SSE__

#include <xmmintrin.h>

/* Whether one was; from here on none was. */
static inline bool tacho_invalid_take(void)
{
    unsigned state = _mm_getcsr();
    bool was_invalid = (state & _MM_EXCEPT_INVALID) != 0;
    if (was_invalid) {
        _mm_setcsr(state & ~(unsigned)_MM_EXCEPT_INVALID);
    }
    return was_invalid;
}

/* Says that one was. */
static inline void tacho_invalid_note(void)
{
    _mm_setcsr(_mm_getcsr() | _MM_EXCEPT_INVALID);
}

#else

#include <fenv.h>

static inline bool tacho_invalid_take(void)
{
    bool was_invalid = fetestexcept(FE_INVALID) != 0;
    feclearexcept(FE_INVALID);
    return was_invalid;
}

static inline void tacho_invalid_note(void)
{
    feraiseexcept(FE_INVALID);
}

#endif

#endif
