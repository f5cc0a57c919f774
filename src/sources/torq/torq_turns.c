/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lot is as many whole lines as its reader has room for; the bytes read after the last of them
 * are carried over to the next lot. Lots are numbered as they are read, and their turns follow that
 * order.
 */
#include "sources/torq/torq_turns.h"

#include "base/cpu.h"
#include "base/grow.h"
#include "base/turns.h"
#include "sources/torq/torq_maker.h"

#include <signal.h>
#include <stdlib.h>

enum {
    LOT_BYTES = 256 << 10,
    LOT_ROWS = 4096,            /* made before the turn; further ones during it */
    THREAD_BYTES_MIN = 4 << 20, /* of input that is worth a thread */
};

/* State shared by all workers. */
typedef struct sharing {
    const torq_rows_format *format;
    /* The next lot, for the holder of |reading|. */
    pthread_mutex_t reading;
    tacho_input *input;
    uint64_t lot_count;
    bool is_read; /* no lots are left */
    char *carried;
    size_t carried_len, carried_capacity;
    /* For the worker whose turn it is. */
    tacho_turn turn;
    uint64_t line_count; /* before the current lot */
    tacho_status status; /* result of the last turn */
} sharing;

typedef struct worker {
    sharing *all;
    unsigned number;
    pthread_t thread;
    uint64_t lot;
    char *text; /* of the lot, with TACHO_INPUT_LEAD_BYTES ahead of it */
    size_t text_len, text_room;
    tacho_input view;    /* of its lines */
    tacho_status status; /* why the input ends with the lot */
    bool is_last;
    torq_maker maker;
} worker;

/* ---- reading a lot ---------------------------------------------------------------------- */

static char *lines_of(const worker *self)
{
    return self->text + TACHO_INPUT_LEAD_BYTES;
}

static tacho_status make_room(worker *self, size_t room)
{
    if (room > self->text_room) {
        char *text = realloc(self->text, TACHO_INPUT_LEAD_BYTES + room);
        if (text == NULL) {
            return tacho_no_memory();
        }
        memset(text, 0, TACHO_INPUT_LEAD_BYTES);
        self->text = text;
        self->text_room = room;
    }
    return TACHO_OK;
}

/* Reads up to |len| bytes of text, fewer only at the end. */
static tacho_status read_up_to(worker *self, size_t len)
{
    TACHO_TRY(make_room(self, len));
    while (self->text_len < len && !self->is_last) {
        size_t got = 0;
        TACHO_TRY(tacho_input_take(self->all->input, lines_of(self) + self->text_len,
                                   len - self->text_len, &got));
        self->text_len += got;
        self->is_last = got == 0;
    }
    return TACHO_OK;
}

/* The length of all whole lines. */
static size_t find_whole(const worker *self)
{
    size_t len = self->text_len;
    while (len > 0 && lines_of(self)[len - 1] != '\n') {
        len--;
    }
    return len;
}

/* Reads at least one line, however long, unless it is longer than lines may be. */
static tacho_status read_lines(worker *self)
{
    TACHO_TRY(read_up_to(self, self->text_len + LOT_BYTES));
    while (find_whole(self) == 0 && !self->is_last && self->text_len <= TACHO_INPUT_TOKEN_MAX) {
        TACHO_TRY(read_up_to(self, 2 * self->text_len));
    }
    return TACHO_OK;
}

/* Takes the bytes that the previous lot left. */
static tacho_status take_carried(worker *self)
{
    sharing *all = self->all;
    TACHO_TRY(make_room(self, all->carried_len + LOT_BYTES));
    if (all->carried_len > 0) {
        memcpy(lines_of(self), all->carried, all->carried_len);
    }
    self->text_len = all->carried_len;
    all->carried_len = 0;
    return TACHO_OK;
}

/* Leaves the bytes after the whole lines for the next lot. */
static tacho_status carry_over(worker *self, size_t whole)
{
    sharing *all = self->all;
    size_t len = self->text_len - whole;
    if (len > 0) {
        TACHO_TRY(tacho_grow(&all->carried, &all->carried_capacity, len));
        memcpy(all->carried, lines_of(self) + whole, len);
    }
    all->carried_len = len;
    self->text_len = whole;
    return TACHO_OK;
}

/* Reads whole lines; the last lines, or one that is too long, as far as they go. */
static tacho_status read_text(worker *self)
{
    TACHO_TRY(take_carried(self));
    tacho_status status = read_lines(self);
    size_t whole = find_whole(self);
    if (status != TACHO_OK) {
        self->text_len = whole;
        return status;
    }
    return whole > 0 && !self->is_last ? carry_over(self, whole) : TACHO_OK;
}

/* Shows the lot to the maker. */
static void show_lines(worker *self)
{
    const tacho_input *input = self->all->input;
    tacho_input *view = &self->view;
    view->cursor = lines_of(self);
    view->limit = view->cursor + self->text_len;
    view->limit_offset = tacho_input_offset(input) - self->all->carried_len;
    view->line_number = 0;
    view->damage = self->is_last ? input->damage : NULL;
    self->maker.is_last = false;
}

/* Reads the next lot; false after the last. */
static bool read_lot(worker *self)
{
    sharing *all = self->all;
    pthread_mutex_lock(&all->reading);
    bool has_more = !all->is_read;
    if (has_more) {
        self->lot = all->lot_count++;
        self->text_len = 0;
        self->status = read_text(self);
        self->is_last = self->is_last || self->status != TACHO_OK;
        all->is_read = self->is_last;
        show_lines(self);
    }
    pthread_mutex_unlock(&all->reading);
    return has_more;
}

/* ---- taking rows ------------------------------------------------------------------------ */

static void make_rows(worker *self)
{
    torq_maker *maker = &self->maker;
    while (!maker->is_last && maker->row_count <= maker->room - TORQ_BATCH_ROWS) {
        torq_maker_make(maker);
    }
}

/* Adds the lines before the lot to line numbers, which are relative until the turn. */
static void number_rows(worker *self)
{
    uint64_t before = self->all->line_count;
    for (size_t i = 0; i < self->maker.row_count; i++) {
        self->maker.rows[i].line_number += before;
    }
    self->view.line_number += before;
}

static tacho_status take_rows(worker *self)
{
    torq_maker *maker = &self->maker;
    number_rows(self);
    for (;;) {
        TACHO_TRY(torq_maker_take(maker));
        if (maker->is_last) {
            break;
        }
        make_rows(self);
    }
    self->all->line_count = self->view.line_number;
    return torq_maker_end(maker);
}

/* Takes the turn of the lot; false after the last. */
static bool take_turn(worker *self)
{
    sharing *all = self->all;
    const tacho_shared *taker = all->format->taker;
    taker->begin(taker->self, self->number);
    tacho_status status = take_rows(self);
    taker->end(taker->self, self->number);
    if (status == TACHO_OK) {
        status = self->status;
        self->status = TACHO_OK;
    }
    bool goes_on = status == TACHO_OK && !self->is_last;
    all->status = status;
    if (goes_on) {
        tacho_turn_pass(&all->turn);
    } else {
        tacho_turn_end(&all->turn);
    }
    return goes_on;
}

/* Processes all lots of this worker. */
static void *work(void *of)
{
    worker *self = of;
    sharing *all = self->all;
    const tacho_shared *taker = all->format->taker;
    bool goes_on = true;
    while (goes_on && read_lot(self)) {
        if (self->text_len <= TACHO_INPUT_TOKEN_MAX) { /* a longer line fails in the turn */
            make_rows(self);
        }
        goes_on = tacho_turn_wait(&all->turn, self->lot);
        if (goes_on) {
            goes_on = take_turn(self);
            taker->after(taker->self, self->number);
        }
    }
    return NULL;
}

/* ---- starting the workers --------------------------------------------------------------- */

static tacho_status create_worker(worker *self, sharing *all, unsigned number)
{
    *self = (worker){.all = all, .number = number};
    self->view = (tacho_input){.name = all->input->name, .fd = -1, .at_end = true};
    TACHO_TRY(torq_maker_init(&self->maker, &self->view, all->format, LOT_ROWS));
    return make_room(self, LOT_BYTES);
}

static void destroy_worker(worker *self)
{
    torq_maker_deinit(&self->maker);
    tacho_status_free(self->status);
    free(self->text);
}

/* Starts a worker; it takes no signals. */
static bool start_worker(worker *self)
{
    sigset_t everything;
    sigset_t before;
    sigfillset(&everything);
    if (pthread_sigmask(SIG_SETMASK, &everything, &before) != 0) {
        return false;
    }
    bool is_started = pthread_create(&self->thread, NULL, work, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* The caller is the first worker. */
static void work_together(worker *workers)
{
    unsigned count = 1;
    while (count < TACHO_TURN_THREADS && start_worker(&workers[count])) {
        count++;
    }
    work(&workers[0]);
    for (unsigned i = 1; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

static tacho_status read_with(sharing *all)
{
    worker workers[TACHO_TURN_THREADS];
    tacho_status status = TACHO_OK;
    unsigned count = 0;
    while (count < TACHO_TURN_THREADS && status == TACHO_OK) {
        status = create_worker(&workers[count], all, count);
        count++;
    }
    if (status == TACHO_OK) {
        work_together(workers);
        status = all->status;
    }
    for (unsigned i = 0; i < count; i++) {
        destroy_worker(&workers[i]);
    }
    return status;
}

tacho_status torq_turns_read(tacho_input *input, const torq_rows_format *format)
{
    sharing all = {.format = format, .input = input};
    pthread_mutex_init(&all.reading, NULL);
    tacho_turn_init(&all.turn);
    tacho_status status = read_with(&all);
    input->line_number = all.line_count;
    tacho_turn_deinit(&all.turn);
    pthread_mutex_destroy(&all.reading);
    free(all.carried);
    return status;
}

bool torq_turns_are_worth(const tacho_input *input, const torq_rows_format *format)
{
    return format->taker != NULL && input->raw_total_bytes >= THREAD_BYTES_MIN &&
           tacho_cpu_count() > 1;
}
