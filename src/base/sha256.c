/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digest block by block; the last one or two hold the remaining bytes, a bit, and the length.
 */
#include "base/sha256.h"

#include <stdio.h>

enum { BLOCK = 64, ROUNDS = 64, WORDS = 8, LENGTH_AT = 56 };

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static void fill_schedule(const unsigned char *block, uint32_t words[ROUNDS])
{
    for (size_t i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (size_t i = 16; i < ROUNDS; i++) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];
        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t state[WORDS], const unsigned char *block)
{
    uint32_t words[ROUNDS];
    uint32_t s[WORDS];
    fill_schedule(block, words);
    memcpy(s, state, sizeof(s));
    for (size_t i = 0; i < ROUNDS; i++) {
        uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                         ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
        uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof(s[0]));
        s[4] += first;
        s[0] = first + second;
    }
    for (size_t i = 0; i < WORDS; i++) {
        state[i] += s[i];
    }
}

void tacho_sha256_hex(tacho_str bytes, char out_hex[TACHO_SHA256_HEX_BYTES])
{
    uint32_t state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[2 * BLOCK] = {0};
    size_t whole = bytes.len / BLOCK;
    size_t left = bytes.len % BLOCK;
    size_t last_len = left < LENGTH_AT ? BLOCK : 2 * BLOCK;
    for (size_t i = 0; i < whole; i++) {
        add_block(state, (const unsigned char *)bytes.data + i * BLOCK);
    }
    if (left > 0) {
        memcpy(last, bytes.data + whole * BLOCK, left);
    }
    last[left] = 0x80;
    for (size_t i = 0; i < 8; i++) {
        last[last_len - 1 - i] = (unsigned char)((uint64_t)bytes.len * 8 >> (8 * i));
    }
    for (size_t i = 0; i < last_len; i += BLOCK) {
        add_block(state, last + i);
    }
    for (size_t i = 0; i < WORDS; i++) {
        snprintf(out_hex + 8 * i, 9, "%08x", (unsigned)state[i]);
    }
}
