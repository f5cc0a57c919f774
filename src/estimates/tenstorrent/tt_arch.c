/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chips and ops as in Tenstorrent's report tool: peaks by architecture, from machine descriptions;
 * categories by name.
 */
#include "estimates/tenstorrent/tt_report.h"

#include "machine/machine.h"

#include <strings.h>

static double value_of(const tacho_quantity *quantity)
{
    return (double)quantity->value.num / (double)quantity->value.den;
}

tacho_tt_arch tacho_tt_arch_of(const tacho_peaks *peaks)
{
    double cores = value_of(&peaks->counted_cores);
    return (tacho_tt_arch){
        .name = peaks->chip,
        .worker_cores = value_of(&peaks->worker_cores),
        .dram_gb_s = value_of(&peaks->dram_rate),
        .tflops_hifi4 = value_of(&peaks->hifi4_rate) / cores,
        .tflops_hifi2 = value_of(&peaks->hifi2_rate) / cores,
        .tflops_lofi = value_of(&peaks->lofi_rate) / cores,
    };
}

/* The peaks of chip |name| in the description |machine|; of its first chip if |name| is empty. */
static bool find_peaks(const tacho_machine *machine, tacho_str name, tacho_tt_arch *out_arch)
{
    for (size_t i = 0; i < machine->peak_count; i++) {
        const tacho_peaks *peaks = &machine->peaks[i];
        if (name.len == 0 || (peaks->chip.len == name.len &&
                              strncasecmp(peaks->chip.data, name.data, name.len) == 0)) {
            *out_arch = tacho_tt_arch_of(peaks);
            return true;
        }
    }
    return false;
}

/* Whether a description has any peaks; most have none, and need not be read. */
static bool may_have_peaks(const char *machine)
{
    return tacho_tt_holds(tacho_machine_builtin_text(tacho_str_from_cstring(machine)), "\"peaks\"");
}

tacho_status tacho_tt_machine_find(tacho_str name, tacho_arena *arena, tacho_tt_arch *out_arch,
                                   tacho_machine **out_machine)
{
    const char *builtin = NULL;
    bool is_found = false;
    for (size_t i = 0; (builtin = tacho_machine_builtin(i)) != NULL && !is_found; i++) {
        if (may_have_peaks(builtin)) {
            TACHO_TRY(tacho_machine_find(builtin, arena, out_machine));
            is_found = find_peaks(*out_machine, name, out_arch);
        }
    }
    if (!is_found && tacho_str_ends_with(name, TACHO_STR(".json"))) {
        tacho_str path;
        TACHO_TRY(tacho_arena_copy(arena, name, &path));
        TACHO_TRY(tacho_machine_find(path.data, arena, out_machine));
        is_found = find_peaks(*out_machine, TACHO_STR(""), out_arch);
    }
    *out_machine = is_found ? *out_machine : NULL;
    return TACHO_OK;
}

tacho_status tacho_tt_arch_find(tacho_str name, tacho_arena *arena, tacho_tt_arch *out_arch,
                                bool *out_is_found)
{
    tacho_machine *machine = NULL;
    TACHO_TRY(tacho_tt_machine_find(name, arena, out_arch, &machine));
    *out_is_found = machine != NULL;
    return TACHO_OK;
}

/* Names of ops by category, each also followed by "DeviceOperation". */
typedef struct category {
    const char *name;
    const char *ops; /* separated by spaces */
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
