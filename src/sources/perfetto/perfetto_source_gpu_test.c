/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs in Perfetto traces: stages of their queues, and their counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

/* Opens a stage event; close it with end_event. */
static void gpu_stage(uint64_t time, uint64_t id, uint64_t duration)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_GPU_STAGE);
    if (id != 0) {
        number(PF_STAGE_EVENT_ID, id);
    }
    if (duration != 0) {
        number(PF_STAGE_DURATION, duration);
    }
}

static void gpu_names(void)
{
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_INTERNED_DATA);
    entry(PF_INTERNED_GPU_SPECS, 1, "compute 0");
    entry(PF_INTERNED_GPU_SPECS, 2, "kernel");
    entry(PF_INTERNED_NAMES, 3, "gemm");
    entry(PF_INTERNED_KERNELS, 4, "_Z4gemm");
    begin(PF_INTERNED_GRAPHICS_CONTEXTS);
    number(PF_CONTEXT_IID, 77);
    number(PF_CONTEXT_PID, 12);
    number(PF_CONTEXT_API, 4);
    end();
    end();
    end();
}

static void test_gpu_stages(void **state)
{
    (void)state;
    start();
    gpu_names();
    gpu_stage(10, 1, 100);
    number(PF_STAGE_QUEUE_IID, 1);
    number(PF_STAGE_STAGE_IID, 2);
    end_event();
    gpu_stage(50, 2, 100); /* overlaps the first */
    number(PF_STAGE_WAIT_IDS, 1);
    number(PF_STAGE_QUEUE_IID, 1);
    number(PF_STAGE_WAIT_IDS, 9);
    number(PF_STAGE_NAME_IID, 3);
    number(PF_STAGE_STAGE_IID, 2);
    number(PF_STAGE_CONTEXT, 77);
    number(PF_STAGE_KERNEL_IID, 4);
    begin(PF_STAGE_EXTRA_DATA);
    text(PF_EXTRA_DATA_NAME, "shader");
    text(PF_EXTRA_DATA_VALUE, "s1");
    end();
    begin(PF_STAGE_LAUNCH);
    begin(PF_LAUNCH_GRID);
    number(1, 8);
    number(2, 2);
    end();
    end();
    end_event();
    gpu_stage(60, 3, 0);
    number(PF_STAGE_GPU_ID, 1);
    text(PF_STAGE_NAME, "mark");
    number(PF_STAGE_CONTEXT, 5);
    end_event();
    gpu_stage(70, 0, 5); /* lost: no number */
    end_event();
    gpu_stage(80, 4, 5);
    number(PF_STAGE_OLD_QUEUE_ID, 2);
    number(PF_STAGE_STAGE_IID, 99); /* not interned */
    end_event();
    gpu_stage(90, 0, 0); /* not read: names in the old form */
    begin(PF_STAGE_OLD_SPECIFICATIONS);
    end();
    end_event();
    gpu_stage(95, 5, UINT64_MAX); /* lost: too long */
    end_event();
    check("compute 0 < GPU 0|10|110|kernel||event_id=u1\n"
          "compute 0 < GPU 0|50|150|gemm||event_id=u2 pid=u12 api=s'CUDA' kernel=s'_Z4gemm' "
          "shader=t's1' grid=s'8x2x1' waits_for=[2 =u1 =u9 stage=s'kernel'\n"
          "Unknown queue < GPU 1|60|60|mark||event_id=u3 context=u5|instant\n"
          "Queue 2 < GPU 0|80|85|||event_id=u4\n"
          "lost time_overflow 1 byte 202\nlost unknown_event 1 byte 191\n"
          "lost missing_field 1 byte 163\nlost unknown_state 1 byte 174\n");
}

static void test_gpu_queues(void **state)
{
    (void)state;
    start();
    gpu_names();
    gpu_stage(10, 1, 5);
    number(PF_STAGE_QUEUE_IID, 1);
    end_event();
    assert_ok(read_into(&first, trace_bytes(), false, TACHO_ORDER_PASS));
    assert_int_equal(first.profile.span_count, 1);
    const tacho_track *queue = &first.dict.tracks[tacho_profile_span(&first.profile, 0).track];
    assert_int_equal(queue->track_class, TACHO_TRACK_COMPUTE);
    assert_int_equal(queue->nesting, TACHO_NESTING_ENGINE);
    assert_int_equal(first.dict.tracks[queue->parent].track_class, TACHO_TRACK_GROUP);
    drop(&first);
}

/* Opens counters of a GPU; close them with end_event. */
static void gpu_counters(uint64_t time, uint64_t gpu)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_GPU_COUNTERS);
    number(PF_GPU_COUNTERS_GPU_ID, gpu);
}

static void gpu_value(uint64_t id, double value)
{
    begin(PF_GPU_COUNTERS_COUNTERS);
    number(PF_GPU_COUNTER_ID, id);
    real(PF_GPU_COUNTER_DOUBLE, value);
    end();
}

static void test_gpu_counters(void **state)
{
    (void)state;
    start();
    gpu_counters(1, 2);
    gpu_value(7, 0.5); /* the description follows it */
    begin(PF_GPU_COUNTERS_DESCRIPTOR);
    begin(PF_GPU_DESCRIPTOR_SPECS);
    number(PF_GPU_SPEC_COUNTER_ID, 7);
    text(PF_GPU_SPEC_NAME, "busy");
    end();
    end();
    end_event();
    gpu_counters(2, 2);
    begin(PF_GPU_COUNTERS_COUNTERS);
    number(PF_GPU_COUNTER_ID, 7);
    number(PF_GPU_COUNTER_INT, (uint64_t)-3);
    end();
    gpu_value(8, 1); /* lost: no description */
    end_event();
    gpu_counters(3, 1);
    gpu_value(7, 1); /* lost: another GPU's */
    end_event();
    gpu_counters(4, 2);
    number(PF_GPU_COUNTERS_IID, 1); /* not read */
    gpu_value(7, 1);
    end_event();
    gpu_counters(5, 2);
    begin(PF_GPU_COUNTERS_COUNTERS); /* lost: no value */
    number(PF_GPU_COUNTER_ID, 7);
    end();
    end_event();
    check("busy < GPU 2|1|0.5\nbusy < GPU 2|2|-3\n"
          "lost unknown_event 1 byte 99\nlost missing_field 1 byte 125\n"
          "lost unknown_state 2 byte 36\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu_stages),
        cmocka_unit_test(test_gpu_queues),
        cmocka_unit_test(test_gpu_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
