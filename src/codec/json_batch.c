#include "codec/json_batch.h"
#include <emmintrin.h>
#define HYB 8
#define tok tacho_json_packed
enum state { VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, AFTER, DONE };
static inline __m128i load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}
#define EQ(x, c) _mm_cmpeq_epi8(x, _mm_set1_epi8(c))
#define OR _mm_or_si128
static inline char *find_string_stop(char *at)
{
    for (;; at += 16) {
        __m128i x = load(at);
        unsigned m = (unsigned)_mm_movemask_epi8(OR(
            OR(EQ(x, '"'), EQ(x, '\\')), _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x)));
        if (TACHO_LIKELY(m))
            return at + __builtin_ctz(m);
    }
}
static inline char *find_non_space(char *at)
{
    for (;; at += 16) {
        __m128i x = load(at);
        unsigned m = (unsigned)_mm_movemask_epi8(
                         OR(OR(EQ(x, ' '), EQ(x, '\t')), OR(EQ(x, '\n'), EQ(x, '\r')))) ^
                     0xffff;
        if (TACHO_LIKELY(m))
            return at + __builtin_ctz(m);
    }
}
static inline char *skip_space(char *at)
{
    if ((unsigned char)*at > ' ')
        return at;
    if (*at == ' ' && (unsigned char)at[1] > ' ')
        return at + 1;
    return find_non_space(at);
}
static const unsigned char stops_tab[256] = {1, 1, 1, 1, 1, 1, 1, 1, 1,         1,         1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, 1,         1,         1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, ['"'] = 1, ['\\'] = 1};
static inline char *string_end(char *at)
{
#ifdef HYB
    for (int i = 0; i < HYB; i++) {
        if (stops_tab[(unsigned char)*at])
            return at;
        at++;
    }
#endif
    return find_string_stop(at);
}
static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}
static inline char *skip_digits(char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}
static inline char *number_end(char *p)
{
    p += *p == '-';
    char *d = p;
    p = skip_digits(p);
    if (TACHO_UNLIKELY(p == d))
        return NULL;
    if (*d == '0')
        p = d + 1;
    if (*p == '.') {
        d = p + 1;
        p = skip_digits(d);
        if (TACHO_UNLIKELY(p == d))
            return NULL;
    }
    if (TACHO_UNLIKELY((*p | 0x20) == 'e')) {
        d = p + 1 + (p[1] == '+' || p[1] == '-');
        p = skip_digits(d);
        if (TACHO_UNLIKELY(p == d))
            return NULL;
    }
    return p;
}
#define PUT(s, n, k) (*out++ = (tok){(uint32_t)((s)-base), (uint32_t)(n) << 8 | (k)})
/* returns reason */
void tacho_json_batch_scan(tacho_json_reader *r)
{
    char *base = r->base, *at = r->cursor, *limit = r->limit;
    tok *out = r->tokens;
    tok *out_end = r->tokens + TACHO_JSON_BATCH;
    unsigned state = r->state;
    size_t depth = r->depth;
    uint64_t *kinds = r->kinds;
    bool in_obj = depth > 0 && (kinds[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1);
    char *safe = at;
    while (out < out_end) {
        at = skip_space(at);
        safe = at;
        if (state == AFTER) {
            if (*at == ',') {
                at = skip_space(at + 1);
                safe = at;
                state = in_obj ? KEY : VALUE;
            } else if (*at == (in_obj ? '}' : ']')) {
            close:
                PUT(at, 1, in_obj ? TACHO_JSON_OBJECT_END : TACHO_JSON_ARRAY_END);
                at++;
                depth--;
                if (depth == 0) {
                    state = DONE;
                    safe = at;
                    break;
                }
                in_obj = kinds[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1;
                state = AFTER;
                if (*at == ',') {
                    at++;
                    state = in_obj ? KEY : VALUE;
                }
                safe = at;
                continue;
            } else
                break;
        }
        if (state == KEY || state == FIRST_KEY) {
            if (*at != '"') {
                if (*at == '}' && state == FIRST_KEY)
                    goto close;
                break;
            }
            char *s = at + 1, *e = string_end(s);
            if (TACHO_UNLIKELY(*e != '"'))
                break;
            at = skip_space(e + 1);
            if (TACHO_UNLIKELY(*at != ':'))
                break;
            at = skip_space(at + 1);
            PUT(s, e - s, TACHO_JSON_KEY);
            state = VALUE;
            safe = at;
        }
        switch (*at) {
        case '"': {
            char *s = at + 1, *e = string_end(s);
            if (TACHO_UNLIKELY(*e != '"'))
                goto out;
            PUT(s, e - s, TACHO_JSON_STRING);
            at = e + 1;
            break;
        }
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9': {
            char *e = number_end(at);
            if (TACHO_UNLIKELY(e == NULL || e == limit))
                goto out;
            PUT(at, e - at, TACHO_JSON_NUMBER);
            at = e;
            break;
        }
        case '[':
            if (depth == 512)
                goto out;
            kinds[depth >> 6] &= ~(1ull << (depth & 63));
            depth++;
            in_obj = false;
            PUT(at, 1, TACHO_JSON_ARRAY_BEGIN);
            at++;
            state = FIRST_VALUE;
            safe = at;
            continue;
        case '{':
            if (depth == 512)
                goto out;
            kinds[depth >> 6] |= (1ull << (depth & 63));
            depth++;
            in_obj = true;
            PUT(at, 1, TACHO_JSON_OBJECT_BEGIN);
            at++;
            state = FIRST_KEY;
            safe = at;
            continue;
        case ']':
            if (state == FIRST_VALUE)
                goto close;
            goto out;
        case 't':
            if (memcmp(at, "true", 4))
                goto out;
            PUT(at, 4, TACHO_JSON_TRUE);
            at += 4;
            break;
        case 'f':
            if (memcmp(at, "false", 5))
                goto out;
            PUT(at, 5, TACHO_JSON_FALSE);
            at += 5;
            break;
        case 'n':
            if (memcmp(at, "null", 4))
                goto out;
            PUT(at, 4, TACHO_JSON_NULL);
            at += 4;
            break;
        default:
            goto out;
        }
        state = depth ? AFTER : DONE;
        if (!depth) {
            safe = at;
            break;
        }
        if (*at == ',') {
            at++;
            state = in_obj ? KEY : VALUE;
        }
        safe = at;
    }
out:
    r->cursor = safe;
    r->state = state;
    r->depth = depth;
    r->token = r->tokens;
    r->token_end = out;
    r->stop = r->limit;
}
