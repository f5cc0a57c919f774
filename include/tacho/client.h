/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libtacho-client: lets a program report events of its own while 'tacho profile' runs it.
 *
 *     #include <tacho/client.h>
 *
 *     void step(void)
 *     {
 *         TACHO_ZONE("step");                       // until the end of the block
 *         TACHO_COUNTER("queue", "items", queue_length());
 *     }
 *
 * Link with -ltacho-client, which needs libc alone. Without a collector every call returns after a
 * few nanoseconds. With TACHO_CLIENT_DISABLE defined, the macros expand to nothing.
 *
 * Events go to memory that the collector owns, one ring for each thread: once a call has returned,
 * its event is safe, even if the program is killed in the next instruction. When a ring is full,
 * a call waits for 10 ms at most; then the event is dropped and counted.
 *
 * All functions may be called from any thread. In a signal handler that interrupts one of them, an
 * event is dropped and counted. After fork the child is a client of its own.
 */
#ifndef TACHO_CLIENT_H
#define TACHO_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TACHO_CLIENT_API
#define TACHO_CLIENT_API __attribute__((visibility("default")))
#endif

/* A place in the program that makes events: one static object for each, made by the macros. */
typedef struct tacho_client_site {
    const char *name;
    const char *category; /* kind of site; of a counter its unit; or NULL */
    const char *file;     /* or NULL */
    uint32_t line;
    uint32_t reserved;
    uint64_t id; /* private: the collector's id of it */
} tacho_client_site;

/* A zone that is open. */
typedef struct tacho_client_zone {
    uint64_t start_ns;
    uint32_t site;
    uint32_t generation; /* 0: without a collector */
} tacho_client_zone;

typedef enum tacho_client_type {
    TACHO_CLIENT_INT,
    TACHO_CLIENT_UINT,
    TACHO_CLIENT_REAL,
    TACHO_CLIENT_BOOL,
    TACHO_CLIENT_TEXT,
} tacho_client_type;

typedef enum tacho_client_unit {
    TACHO_CLIENT_NO_UNIT,
    TACHO_CLIENT_NS,
    TACHO_CLIENT_CYCLES,
    TACHO_CLIENT_BYTES,
    TACHO_CLIENT_COUNT,
    TACHO_CLIENT_PERCENT,
    TACHO_CLIENT_MHZ,
} tacho_client_unit;

/* A named value of an event. */
typedef struct tacho_client_arg {
    const char *key;
    tacho_client_type type;
    tacho_client_unit unit;
    union {
        int64_t as_int;
        uint64_t as_uint;
        double as_real;
        int as_bool;
        const char *as_text;
    } value;
} tacho_client_arg;

/* Whether a collector takes events: for programs whose events are costly to prepare. */
TACHO_CLIENT_API int tacho_client_is_active(void);

/*
 * The level of detail that the collector requests: 40 whole runs, 70 also operators, 100 also
 * counters of operators. Zones, counters and messages are taken at any level. 0 without a
 * collector.
 */
TACHO_CLIENT_API int tacho_client_stats_level(void);

/* The clock of all times: CLOCK_MONOTONIC in ns. */
TACHO_CLIENT_API uint64_t tacho_client_now(void);

/* ---- zones: nested work of a thread -----------------------------------------------------------
 */

TACHO_CLIENT_API void tacho_client_zone_begin(tacho_client_zone *zone, tacho_client_site *site);
TACHO_CLIENT_API void tacho_client_zone_end(tacho_client_zone *zone);

/* The same with values that describe it. */
TACHO_CLIENT_API void tacho_client_zone_end_args(tacho_client_zone *zone,
                                                 const tacho_client_arg *args, size_t arg_count);

/* ---- moments ----------------------------------------------------------------------------------
 */

/* A sample of a counter; its unit is the category of the site: "bytes", "count", "%", or any. */
TACHO_CLIENT_API void tacho_client_counter(tacho_client_site *site, double value);

/* The same for an earlier time, by the clock of tacho_client_now. */
TACHO_CLIENT_API void tacho_client_counter_at(tacho_client_site *site, double value,
                                              uint64_t time_ns);

/* A text at this moment, of this thread. */
TACHO_CLIENT_API void tacho_client_message(const char *text, size_t len);

/* A mark that divides a run into phases: the end of a warm-up, an epoch. */
TACHO_CLIENT_API void tacho_client_signpost(const char *name);

/* An arrow from the zone around one call to the zone around another, in any thread or process. */
typedef enum tacho_client_flow_phase {
    TACHO_CLIENT_FLOW_LEAVES,
    TACHO_CLIENT_FLOW_PASSES,
    TACHO_CLIENT_FLOW_ARRIVES,
} tacho_client_flow_phase;

TACHO_CLIENT_API void tacho_client_flow(uint64_t id, tacho_client_flow_phase phase);

/* Events that were lost before they could be reported: the capture counts them. */
TACHO_CLIENT_API void tacho_client_report_lost(uint64_t count);

/* ---- operators --------------------------------------------------------------------------------
 */

typedef struct tacho_client_tensor {
    const char *dtype;  /* "float32"; or NULL */
    const char *layout; /* "TILE"; or NULL */
    const char *memory; /* "DRAM"; or NULL */
    const int64_t *shape;
    size_t rank;
} tacho_client_tensor;

/* The engine of a device that did the work: each is a track of its own. */
typedef enum tacho_client_engine {
    TACHO_CLIENT_COMPUTE,
    TACHO_CLIENT_TO_DEVICE, /* transfers from the host to the device */
    TACHO_CLIENT_FROM_DEVICE,
    TACHO_CLIENT_ON_DEVICE, /* transfers within the device */
    TACHO_CLIENT_SYNC,      /* waiting for others */
} tacho_client_engine;

/* One execution of an operator. Unknown members are NULL or zero. */
typedef struct tacho_client_op {
    const char *code;                    /* its name: "MatMul" */
    const char *type;                    /* where it ran: "tt_dnn_device", "cpu" */
    const char *location;                /* its place in the model */
    const char *attributes;              /* as text */
    uint64_t call;                       /* its number in this process, see next_call; 0: none */
    uint64_t host_start_ns, host_end_ns; /* of tacho_client_now; equal: not on the host */
    uint32_t device;
    uint64_t device_start_ticks, device_end_ticks; /* equal: not on a device */
    const tacho_client_tensor *inputs;
    size_t input_count;
    const tacho_client_tensor *outputs;
    size_t output_count;
    const tacho_client_arg *args; /* facts of its kernels */
    size_t arg_count;
    tacho_client_engine engine; /* of the device */
    uint32_t queue;             /* of the device, from 1 on; 0: without queues */
    uint64_t launch;            /* that of tacho_client_launch; 0: none */
} tacho_client_op;

/*
 * A new number for a call, unique in this process across threads and devices: 1, 2, 3 and so on.
 * Collectors join the reports of host and device by it. May be called from any thread. libtacho
 * numbers its own runs separately.
 */
TACHO_CLIENT_API uint64_t tacho_client_next_call(void);

/* At most 32 tensors of an operator are reported: inputs first, then outputs. */
TACHO_CLIENT_API void tacho_client_report_op(const tacho_client_op *op);

/*
 * Marks the zone of this thread that is open at |time_ns| as the launch of the device operators
 * reported with |launch|: an arrow leads to them. Numbers are per process, from 1 on.
 */
TACHO_CLIENT_API void tacho_client_launch(uint64_t launch, uint64_t time_ns);

/*
 * Sets the name of |device|, and whether its times are simulated rather than measured: reports
 * separate the two. Call it before the first operator of the device.
 */
TACHO_CLIENT_API void tacho_client_describe_device(uint32_t device, const char *name,
                                                   int is_simulated);

/* The same of a device whose times are measured, with the name of its queues: "stream". */
TACHO_CLIENT_API void tacho_client_describe_queues(uint32_t device, const char *name,
                                                   const char *queue);

/*
 * Reports that the clock of |device| showed |ticks| at |host_ns|, and its rate. Times of operators
 * on a device are converted by the last pair before them, so report one before the first operator,
 * and again as often as the clocks drift apart.
 */
TACHO_CLIENT_API void tacho_client_clock_pair(uint32_t device, uint64_t host_ns, uint64_t ticks,
                                              uint64_t ticks_per_second);

/* ---- macros -----------------------------------------------------------------------------------
 */

#ifndef TACHO_CLIENT_DISABLE

#define TACHO_CLIENT_JOIN_(a, b) a##b
#define TACHO_CLIENT_JOIN(a, b) TACHO_CLIENT_JOIN_(a, b)
#define TACHO_CLIENT_SITE(variable, name, category)                                                \
    static tacho_client_site variable = {name, category, __FILE__, __LINE__, 0, 0}

/* The rest of this block is a zone. */
#ifdef __cplusplus
#define TACHO_ZONE(name)                                                                           \
    TACHO_CLIENT_SITE(TACHO_CLIENT_JOIN(tacho_site_, __LINE__), name, nullptr);                    \
    const tacho_client_scope TACHO_CLIENT_JOIN(tacho_zone_, __LINE__)(                             \
        &TACHO_CLIENT_JOIN(tacho_site_, __LINE__))
#else
#define TACHO_ZONE(name)                                                                           \
    TACHO_CLIENT_SITE(TACHO_CLIENT_JOIN(tacho_site_, __LINE__), name, NULL);                       \
    __attribute__((cleanup(tacho_client_zone_end)))                                                \
    tacho_client_zone TACHO_CLIENT_JOIN(tacho_zone_, __LINE__);                                    \
    tacho_client_zone_begin(&TACHO_CLIENT_JOIN(tacho_zone_, __LINE__),                             \
                            &TACHO_CLIENT_JOIN(tacho_site_, __LINE__))
#endif

#define TACHO_COUNTER(name, unit, value)                                                           \
    do {                                                                                           \
        TACHO_CLIENT_SITE(tacho_site_, name, unit);                                                \
        tacho_client_counter(&tacho_site_, (value));                                               \
    } while (0)
#define TACHO_MESSAGE(text, len) tacho_client_message((text), (len))
#define TACHO_SIGNPOST(name) tacho_client_signpost(name)
#define TACHO_FLOW(id, phase) tacho_client_flow((id), (phase))

#else

#define TACHO_ZONE(name) ((void)0)
#define TACHO_COUNTER(name, unit, value) ((void)0)
#define TACHO_MESSAGE(text, len) ((void)0)
#define TACHO_SIGNPOST(name) ((void)0)
#define TACHO_FLOW(id, phase) ((void)0)

#endif

#ifdef __cplusplus
}

/* A zone that ends with its scope. */
class tacho_client_scope
{
  public:
    explicit tacho_client_scope(tacho_client_site *site)
    {
        tacho_client_zone_begin(&zone_, site);
    }
    ~tacho_client_scope()
    {
        tacho_client_zone_end(&zone_);
    }
    tacho_client_scope(const tacho_client_scope &) = delete;
    tacho_client_scope &operator=(const tacho_client_scope &) = delete;

  private:
    tacho_client_zone zone_;
};
#endif

#endif
