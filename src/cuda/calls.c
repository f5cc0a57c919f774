/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls there are differs between versions, so they are chosen by their names. A call of the
 * runtime makes calls of the driver, which are not counted twice.
 */
#include "cuda/calls.h"

#include "cuda/names.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 4096, NAME_ROOM = 96, HOLDER_ROOM = 128 };

static const char call_category[] = "cuda";
static const char wait_category[] = "cuda_wait";

/* A call by its number. */
typedef struct known_call {
    tacho_client_site *site; /* NULL: it is not looked at */
    bool launches;
} known_call;

/* One process has one CUPTI. */
static struct {
    known_call runtime[IDS_MAX], driver[IDS_MAX];
    _Atomic(void *) subscriber; /* NULL: not subscribed */
    atomic_uint starts;         /* so far: a call that was open at an earlier one has no end */
} calls;

/* A thread is in one call at a time: those inside it are its own affair. */
static _Thread_local struct {
    tacho_client_zone zone;
    uint32_t domain, id;
    unsigned start; /* of |starts|; 0: none is open */
} open_call;

typedef struct call_rule {
    const char *prefix; /* after "cuda" or "cu" */
    bool launches, waits;
} call_rule;

static const call_rule *find_rule(const char *name)
{
    static const call_rule rules[] = {
        {"Launch", true, false},
        {"GraphLaunch", true, false},
        {"Memcpy", true, false},
        {"Memset", true, false},
        {"MemPrefetch", true, false},
        {"StreamSynchronize", false, true},
        {"DeviceSynchronize", false, true},
        {"CtxSynchronize", false, true},
        {"EventSynchronize", false, true},
        {"StreamWaitEvent", false, false},
        {"GraphInstantiate", false, false},
    };
    const char *rest = strncmp(name, "cuda", 4) == 0 ? name + 4 : name + 2;
    for (size_t i = 0; strncmp(name, "cu", 2) == 0 && i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strncmp(rest, rules[i].prefix, strlen(rules[i].prefix)) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

/* Without the version that CUPTI appends to a name: "cudaLaunchKernel_v7000", "_ptsz". */
static void put_plain_name(char room[NAME_ROOM], const char *name)
{
    size_t len = strcspn(name, "_");
    len = len < NAME_ROOM - 1 ? len : NAME_ROOM - 1;
    memcpy(room, name, len);
    room[len] = '\0';
}

static void on_call(void *user, uint32_t domain, uint32_t id, const void *data)
{
    const tacho_cu_call *call = data;
    (void)user;
    if (id >= IDS_MAX || (domain != TACHO_CU_RUNTIME_API && domain != TACHO_CU_DRIVER_API)) {
        return;
    }
    const known_call *known =
        domain == TACHO_CU_RUNTIME_API ? &calls.runtime[id] : &calls.driver[id];
    if (known->site == NULL) {
        return;
    }
    unsigned start = atomic_load_explicit(&calls.starts, memory_order_relaxed);
    bool is_open = open_call.start == start;
    if (call->site == 0 && !is_open) {
        open_call.start = start;
        open_call.domain = domain;
        open_call.id = id;
        tacho_client_zone_begin(&open_call.zone, known->site);
    } else if (call->site != 0 && is_open && open_call.domain == domain && open_call.id == id) {
        open_call.start = 0;
        if (known->launches && call->correlation != 0) {
            tacho_client_launch(call->correlation, open_call.zone.start_ns);
        }
        tacho_client_zone_end(&open_call.zone);
    }
}

static void enable(const tacho_cupti *cupti, void *subscriber, uint32_t domain, known_call *list)
{
    for (uint32_t id = 1; id < IDS_MAX; id++) {
        const char *name = NULL;
        char plain[NAME_ROOM];
        if (cupti->GetCallbackName(domain, id, &name) != 0 || name == NULL) {
            continue; /* ids have gaps */
        }
        const call_rule *rule = find_rule(name);
        if (rule != NULL) {
            if (list[id].site == NULL) {
                put_plain_name(plain, name);
                list[id].launches = rule->launches;
                list[id].site = tacho_cu_site(plain, rule->waits ? wait_category : call_category);
            }
            cupti->EnableCallback(1, subscriber, domain, id);
        }
    }
}

/* Uses the newer function where it exists: it names the present subscriber. */
static tacho_cu_result subscribe(const tacho_cupti *cupti, void **out_subscriber,
                                 char holder[HOLDER_ROOM])
{
    void *found = dlsym(cupti->library, "cuptiSubscribe_v2");
    tacho_cu_SubscribeV2 *newer = NULL;
    tacho_cu_subscription params = {sizeof(params), "tacho", holder, HOLDER_ROOM};
    memcpy(&newer, &found, sizeof(newer));
    return newer != NULL ? newer(out_subscriber, on_call, NULL, &params)
                         : cupti->Subscribe(out_subscriber, on_call, NULL);
}

const char *tacho_cu_calls_start(const tacho_cupti *cupti)
{
    static char reason[HOLDER_ROOM + 64]; /* one thread starts them at a time */
    char holder[HOLDER_ROOM] = "";
    void *subscriber = NULL;
    tacho_cu_result result = subscribe(cupti, &subscriber, holder);
    if (result == TACHO_CU_MULTIPLE_SUBSCRIBERS) {
        holder[HOLDER_ROOM - 1] = '\0';
        snprintf(reason, sizeof(reason), "another profiler has subscribed to its calls%s%s",
                 holder[0] != '\0' ? ": " : "", holder);
        return reason;
    }
    if (result != 0) {
        return tacho_cupti_text(cupti, result);
    }
    atomic_fetch_add(&calls.starts, 1);
    atomic_store(&calls.subscriber, subscriber);
    enable(cupti, subscriber, TACHO_CU_RUNTIME_API, calls.runtime);
    enable(cupti, subscriber, TACHO_CU_DRIVER_API, calls.driver);
    return NULL;
}

void tacho_cu_calls_stop(const tacho_cupti *cupti)
{
    void *subscriber = atomic_exchange(&calls.subscriber, NULL);
    if (subscriber != NULL) {
        cupti->Unsubscribe(subscriber);
    }
}

void tacho_cu_calls_forget(void)
{
    atomic_store(&calls.subscriber, NULL);
}

bool tacho_cu_calls_are_on(void)
{
    return atomic_load(&calls.subscriber) != NULL;
}
