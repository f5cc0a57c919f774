/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Default options of the address sanitizer, linked into every sanitized program.
 *
 * The leak checker scans thread-local storage for pointers. To know where it is, the sanitizer
 * intercepts __tls_get_addr and works out the size of each block that the dynamic loader
 * allocates. In clang 14 this relies on allocation calls that the loader of glibc 2.36 does not
 * make. When a block then happens to start 16 bytes into a page, the sanitizer takes the 16 bytes
 * before it, which are the header of one of its own heap blocks, for the start and size of a range.
 * Scanning that range crashes the leak checker ("Tracer caught signal 11"). Whether a block starts
 * there depends on the CPU, the environment and the order of allocations.
 *
 * Without the interceptor nothing is missed: the leak checker treats everything that the dynamic
 * loader allocates, which includes these blocks, as reachable, and scans it.
 */
const char *__asan_default_options(void);

__attribute__((visibility("default"), used)) const char *__asan_default_options(void)
{
    return "intercept_tls_get_addr=0";
}
