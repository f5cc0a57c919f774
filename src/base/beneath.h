/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that another file names. Such a name is untrusted, so the kernel resolves it beneath a
 * given folder, not by looking at its text: neither "..", nor an absolute path, nor a
 * symbolic link leads out of the folder, and only regular files are opened, so that no device or
 * pipe can block or fill the memory.
 */
#ifndef TACHO_BASE_BENEATH_H
#define TACHO_BASE_BENEATH_H

#include "base/status.h"

/*
 * Opens |path|, which is relative to |folder|, for reading; close |*out_fd|. NOT_FOUND where there
 * is no such file, BAD_DATA where it is outside or not a regular file. Symbolic links that stay
 * beneath |folder| are followed where the kernel can check them (Linux 5.6), else refused.
 */
tacho_status tacho_beneath_open(const char *folder, const char *path, int *out_fd) TACHO_MUST_USE;

/* The same for kernels without openat2: one component after the other, no symbolic links. */
tacho_status tacho_beneath_open_by_steps(const char *folder, const char *path,
                                         int *out_fd) TACHO_MUST_USE;

#endif
