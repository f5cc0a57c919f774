/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the memory sanitizer has to know of libraries that are not built with it: zlib, zstd and LZ4
 * write the bytes that they say, and read what they are given. A unit test that is linked with this
 * calls them through it. What goes into a compressor has to be initialised; what comes out is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lz4.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* The function of that name in the library itself. */
#define REAL(name) ((__typeof__(&(name)))find(#name))

static void *find(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        abort();
    }
    return symbol;
}

int deflate(z_streamp stream, int flush)
{
    const Bytef *out = stream->next_out;
    __msan_check_mem_is_initialized(stream->next_in, stream->avail_in);
    int result = REAL(deflate)(stream, flush);
    __msan_unpoison(out, (size_t)(stream->next_out - out));
    return result;
}

int inflate(z_streamp stream, int flush)
{
    const Bytef *out = stream->next_out;
    __msan_check_mem_is_initialized(stream->next_in, stream->avail_in);
    int result = REAL(inflate)(stream, flush);
    __msan_unpoison(out, (size_t)(stream->next_out - out));
    return result;
}

int compress(Bytef *target, uLongf *target_bytes, const Bytef *source, uLong source_bytes)
{
    __msan_check_mem_is_initialized(source, source_bytes);
    int result = REAL(compress)(target, target_bytes, source, source_bytes);
    __msan_unpoison(target, result == Z_OK ? *target_bytes : 0);
    return result;
}

size_t ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                            ZSTD_EndDirective end)
{
    size_t before = out->pos;
    __msan_check_mem_is_initialized((const char *)in->src + in->pos, in->size - in->pos);
    size_t result = REAL(ZSTD_compressStream2)(context, out, in, end);
    __msan_unpoison((char *)out->dst + before, out->pos - before);
    return result;
}

size_t ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    size_t before = out->pos;
    __msan_check_mem_is_initialized((const char *)in->src + in->pos, in->size - in->pos);
    size_t result = REAL(ZSTD_decompressStream)(stream, out, in);
    __msan_unpoison((char *)out->dst + before, out->pos - before);
    return result;
}

size_t ZSTD_compress(void *target, size_t target_bytes, const void *source, size_t source_bytes,
                     int level)
{
    __msan_check_mem_is_initialized(source, source_bytes);
    size_t result = REAL(ZSTD_compress)(target, target_bytes, source, source_bytes, level);
    __msan_unpoison(target, ZSTD_isError(result) ? 0 : result);
    return result;
}

size_t ZSTD_compress2(ZSTD_CCtx *context, void *target, size_t target_bytes, const void *source,
                      size_t source_bytes)
{
    __msan_check_mem_is_initialized(source, source_bytes);
    size_t result = REAL(ZSTD_compress2)(context, target, target_bytes, source, source_bytes);
    __msan_unpoison(target, ZSTD_isError(result) ? 0 : result);
    return result;
}

int LZ4_compress_fast_continue(LZ4_stream_t *stream, const char *source, char *target,
                               int source_bytes, int target_bytes, int acceleration)
{
    __msan_check_mem_is_initialized(source, (size_t)source_bytes);
    int result = REAL(LZ4_compress_fast_continue)(stream, source, target, source_bytes,
                                                  target_bytes, acceleration);
    __msan_unpoison(target, result > 0 ? (size_t)result : 0);
    return result;
}

int LZ4_decompress_safe_usingDict(const char *source, char *target, int source_bytes,
                                  int target_bytes, const char *dict, int dict_bytes)
{
    __msan_check_mem_is_initialized(source, (size_t)source_bytes);
    __msan_check_mem_is_initialized(dict, (size_t)dict_bytes);
    int result = REAL(LZ4_decompress_safe_usingDict)(source, target, source_bytes, target_bytes,
                                                     dict, dict_bytes);
    __msan_unpoison(target, result > 0 ? (size_t)result : 0);
    return result;
}

int LZ4_saveDict(LZ4_stream_t *stream, char *buffer, int buffer_bytes)
{
    int result = REAL(LZ4_saveDict)(stream, buffer, buffer_bytes);
    __msan_unpoison(buffer, result > 0 ? (size_t)result : 0);
    return result;
}
