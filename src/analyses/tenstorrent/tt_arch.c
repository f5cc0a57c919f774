/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Tenstorrent's report tool knows of chips and ops: peaks by architecture, categories by name.
 */
#include "analyses/tenstorrent/tt_report.h"

#include <strings.h>

#define BLACKHOLE_TFLOPS(ghz) (4096 * (ghz) / 1000)

static const tacho_tt_arch archs[] = {
    {"wormhole", 64, 288, 74.0 / 72, 148.0 / 72, 262.0 / 72},
    {"wormhole_b0", 64, 288, 74.0 / 72, 148.0 / 72, 262.0 / 72},
    {"blackhole", 130, 512, BLACKHOLE_TFLOPS(1.35) / 4, BLACKHOLE_TFLOPS(1.35) / 2,
     BLACKHOLE_TFLOPS(1.35)},
    {"bh20", 20, 512, BLACKHOLE_TFLOPS(1.35) / 4, BLACKHOLE_TFLOPS(1.35) / 2,
     BLACKHOLE_TFLOPS(1.35)},
    {"n1", 20, 120, BLACKHOLE_TFLOPS(0.65) / 4, BLACKHOLE_TFLOPS(0.65) / 2, BLACKHOLE_TFLOPS(0.65)},
};

bool tacho_tt_arch_find(tacho_str name, tacho_tt_arch *out_arch)
{
    for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
        if (strlen(archs[i].name) == name.len &&
            strncasecmp(archs[i].name, name.data, name.len) == 0) {
            *out_arch = archs[i];
            return true;
        }
    }
    return false;
}

/* Names of ops by category, each also with "DeviceOperation" behind it. */
typedef struct category {
    const char *name;
    const char *ops; /* parted by blanks */
} category;

static const category categories[] = {
    {"Compute",
     "AllGatherMatmul ScaledDotProductAttentionDecode RotaryEmbeddingLlama SDPAOperation "
     "OptimizedConvNew Conv2d Matmul BinaryNg Binary Unary Pool2D UpSample UpsampleOperation "
     "GroupNorm GridSample Accumulation LayerNorm ScaledDotProductAttention Reduce Softmax "
     "Embeddings MinimalMatmulOp IntImg GridSampleOperation"},
    {"DM", "PagedUpdateCacheDeviceOperation Move Copy InterleavedToSharded ShardedToInterleaved "
           "InterleavedToShardedPartial ShardedToInterleavedPartial Halo Where CloneOperation "
           "Reshard PaddedSlice SliceWrite ReduceScatter"},
    {"TM", "NLPCreateHeadsDecodeDeviceOperation NLPConcatHeadsDecodeDeviceOperation Fold "
           "CreateQKVHeadsDeviceOperation ConcatenateHeads Reshape Transpose Permute Slice Concat "
           "Split TilizeWithValPadding Tilize UntilizeWithUnpadding Untilize Typecast "
           "NLPConcatHeads NlpCreateHeads Ternary FillPad PadDeviceOperation"},
    {"Host", "(torch)"},
};

static bool is_listed(const char *ops, tacho_str op)
{
    while (*ops != '\0') {
        size_t len = strcspn(ops, " ");
        if (tacho_str_equal(op, tacho_str_make(ops, len))) {
            return true;
        }
        ops += len + (ops[len] == ' ' ? 1 : 0);
    }
    return false;
}

const char *tacho_tt_category(tacho_str code)
{
    static const tacho_str suffix = TACHO_STR_INIT("DeviceOperation");
    tacho_str word = tacho_str_trim(code);
    word.len = tacho_str_find_byte(word, ' ');
    tacho_str stem = word;
    stem.len -= tacho_str_ends_with(word, suffix) ? suffix.len : 0;
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        if (is_listed(categories[i].ops, word) || is_listed(categories[i].ops, stem)) {
            return categories[i].name;
        }
    }
    return "Other";
}
