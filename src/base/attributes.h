/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiler attributes, each under one name so that no other file spells __attribute__.
 */
#ifndef TACHO_BASE_ATTRIBUTES_H
#define TACHO_BASE_ATTRIBUTES_H

#if defined(__GNUC__)
#define TACHO_PRINTF(format_index, first_arg)                                                      \
    __attribute__((format(printf, format_index, first_arg)))
/* A function for processors that have |feature|, which the caller asks first. */
#define TACHO_TARGET(feature) __attribute__((target(feature)))
/* A function that becomes part of each of its callers, compiled for their processors. */
#define TACHO_ALWAYS_INLINE inline __attribute__((always_inline))
#define TACHO_NEVER_INLINE __attribute__((noinline)) /* for rare cases, to keep hot code small */
#define TACHO_LIKELY(x) __builtin_expect(!!(x), 1)
#define TACHO_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TACHO_PRINTF(format_index, first_arg)
#define TACHO_TARGET(feature)
#define TACHO_ALWAYS_INLINE inline
#define TACHO_NEVER_INLINE
#define TACHO_LIKELY(x) (x)
#define TACHO_UNLIKELY(x) (x)
#endif

#endif
