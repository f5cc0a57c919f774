/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-04: products in f32 on the vector units, where units for matrices stand idle.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 10, SAVED_PERCENT = 85, PERCENT = 100 };

/*
 * On GPUs with units for matrices these are 8 to 16 times as fast as the vector units, less what
 * memory allows: 85 % of the time is saved. Kernels bound by memory move half the bytes.
 */
static tacho_status check_scalar_products(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_SCALAR);
    const tacho_pattern_sum others = tacho_fact_pattern(of, TACHO_PATTERN_F32);
    if (of->more == NULL || !of->more->has_matrix_units || !tacho_facts_are_busy(of) ||
        tacho_fact_part(of, sum.ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    int64_t gain_ns = sum.ns / PERCENT * SAVED_PERCENT + others.ns / 2;
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "products and convolutions in f32 take %.1f %% of %s and leave the matrix units idle; use "
        "bf16 or f16 (autocast), which also halves the bytes of other f32 kernels (%.1f %%), or "
        "allow TF32",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of), tacho_fact_part(of, others.ns));
}

TACHO_DEVICE_RULE(scalar_products, "K-04");
