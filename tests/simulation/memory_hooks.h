/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instrumented code calls: the functions of the thread sanitizer that GCC and clang insert.
 */
#ifndef TACHO_TESTS_MEMORY_HOOKS_H
#define TACHO_TESTS_MEMORY_HOOKS_H

#include <stddef.h>
#include <stdint.h>

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(void *address, size_t len);
void __tsan_write_range(void *address, size_t len);
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order);

#define SIM_HOOK_PROTOTYPES(bytes)                                                                 \
    void __tsan_read##bytes(void *address);                                                        \
    void __tsan_write##bytes(void *address);                                                       \
    void __tsan_unaligned_read##bytes(void *address);                                              \
    void __tsan_unaligned_write##bytes(void *address);

SIM_HOOK_PROTOTYPES(1)
SIM_HOOK_PROTOTYPES(2)
SIM_HOOK_PROTOTYPES(4)
SIM_HOOK_PROTOTYPES(8)
SIM_HOOK_PROTOTYPES(16)

#define SIM_ATOMIC_PROTOTYPES(bits, type)                                                          \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                      \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);               \
    type __tsan_atomic##bits##_fetch_add(volatile type *address, type value, int order);           \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order);            \
    type __tsan_atomic##bits##_fetch_or(volatile type *address, type value, int order);            \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected,      \
                                                      type value, int order, int order_else);      \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,        \
                                                    type value, int order, int order_else);

SIM_ATOMIC_PROTOTYPES(32, uint32_t)
SIM_ATOMIC_PROTOTYPES(64, uint64_t)

/* The code is compiled with these in place of memcpy and memset. */
void *sim_memcpy(void *to, const void *from, size_t len);
void *sim_memset(void *to, int byte, size_t len);

#endif
