/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes over each profile: one to survey it, one to cut its spans into pieces, which the sweep
 * then adds up.
 */
#include "questions/samples/samples.h"

#include "questions/samples/sample_args.h"
#include "questions/samples/sample_layers.h"
#include "questions/samples/sample_steps.h"
#include "questions/samples/sample_sweep.h"
#include "base/grow.h"
#include "profile/operators.h"

#include <stdlib.h>

#define DEVICE_CLASSES                                                                             \
    (TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |                  \
     TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL) | TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) |               \
     TACHO_TRACK_BIT(TACHO_TRACK_VECTOR))
#define HOST_CLASSES                                                                               \
    (TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY) |                  \
     TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME))

/* Arguments with the shapes of an operator's inputs: those of PyTorch's and ONNX Runtime's
 * profilers.
 */
enum { SHAPE_KEY_COUNT = 2 };
static const char *const shape_keys[SHAPE_KEY_COUNT] = {"Input Dims", "input_type_shape"};

const char *tacho_samples_kind_word(tacho_samples_kind kind)
{
    static const char *const words[] = {
#define TACHO_SAMPLES_KIND_WORD(id, word) word,
        TACHO_SAMPLES_KINDS(TACHO_SAMPLES_KIND_WORD)
#undef TACHO_SAMPLES_KIND_WORD
    };
    return words[kind];
}

tacho_status tacho_samples_init(tacho_samples *samples, const tacho_samples_options *options)
{
    uint32_t empty = 0;
    *samples = (tacho_samples){.options = *options};
    TACHO_TRY(tacho_strings_init(&samples->strings));
    TACHO_TRY(tacho_index_init(&samples->index));
    TACHO_TRY(tacho_index_init(&samples->shape_index));
    return tacho_strings_ensure(&samples->strings, TACHO_STR(""), &empty);
}

void tacho_samples_deinit(tacho_samples *samples)
{
    for (size_t i = 0; i < samples->op_count; i++) {
        free(samples->ops[i].cells);
    }
    free(samples->ops);
    free(samples->wholes);
    free(samples->shapes);
    tacho_index_deinit(&samples->index);
    tacho_index_deinit(&samples->shape_index);
    tacho_strings_deinit(&samples->strings);
    *samples = (tacho_samples){.options = {.classes = 0}};
}

/* ---- one profile --------------------------------------------------------------------------- */

/* Open calls of a track, which may contain the next ones: the parts not counted yet. */
typedef struct call_stack {
    tacho_sample_piece *items;
    size_t item_count, item_capacity;
} call_stack;

/* The identity of an operator, and its type: strings of the samples. */
typedef struct op_key {
    uint32_t name, type, location, layer, operators;
} op_key;

/* The operator of a site's last span, and the arguments that identify it. */
typedef struct op_memo {
    uint32_t name, type; /* strings of the dict, TACHO_NONE for none */
    uint32_t next_op;    /* the operator's id plus one; 0: unset */
    bool is_transfer;
    op_key key;
} op_memo;

/* Whether a filter accepts a site. */
typedef enum site_verdict { NOT_ASKED, WANTED, UNWANTED } site_verdict;

/* Working state while a profile is added. */
typedef struct addition {
    tacho_samples *samples;
    const tacho_profile *profile;
    const tacho_dict *dict;
    uint32_t classes;
    bool is_marked; /* operators have their own spans, around those of their engines */
    uint32_t first_sample;
    uint32_t op_key, type_key, bytes_key, marked; /* strings of |dict|, TACHO_NONE for none */
    uint32_t shape_keys[SHAPE_KEY_COUNT];
    tacho_sample_steps steps;
    tacho_sample_layers layers;
    tacho_sample_layers operators; /* if requested */
    tacho_sample_pieces pieces;
    call_stack *stacks; /* by track */
    op_memo *memos;     /* by site */
    uint8_t *verdicts;  /* by site: a site_verdict */
    bool has_bounds;    /* samples take the time of steps */
    bool has_last_bound;
    tacho_sample_piece last_bound;
} addition;

static uint32_t find_string(const tacho_dict *dict, tacho_str text)
{
    return tacho_strings_find(&dict->strings, text);
}

/* Whether |span| is work that can be compared. */
static bool is_work(const addition *self, const tacho_span *span)
{
    const tacho_site *site = &self->dict->sites[span->site];
    return (span->flags & TACHO_SPAN_INSTANT) == 0 &&
           !tacho_category_is_phase(tacho_dict_string(self->dict, site->category));
}

static tacho_samples_domain domain_of(uint32_t classes)
{
    if ((classes & DEVICE_CLASSES) != 0) {
        return TACHO_SAMPLES_DEVICE;
    }
    if ((classes & TACHO_TRACK_BIT(TACHO_TRACK_CONTROL)) != 0) {
        return TACHO_SAMPLES_CONTROL;
    }
    return (classes & HOST_CLASSES) != 0 ? TACHO_SAMPLES_HOST : TACHO_SAMPLES_NONE;
}

static uint32_t classes_of(tacho_samples_domain domain)
{
    static const uint32_t classes[] = {
        [TACHO_SAMPLES_NONE] = 0,
        [TACHO_SAMPLES_DEVICE] = DEVICE_CLASSES,
        [TACHO_SAMPLES_CONTROL] = TACHO_TRACK_BIT(TACHO_TRACK_CONTROL),
        [TACHO_SAMPLES_HOST] = HOST_CLASSES,
    };
    return classes[domain];
}

static void note_origin(addition *self, const tacho_span *span)
{
    tacho_samples *samples = self->samples;
    tacho_origin origin = (tacho_origin)(span->flags & TACHO_SPAN_ORIGIN_MASK);
    if (origin == TACHO_ORIGIN_UNKNOWN) {
        origin = self->dict->parts[self->dict->tracks[span->track].part].origin;
    }
    samples->is_mixed = samples->is_mixed || (samples->span_count > 0 && samples->origin != origin);
    samples->origin = samples->span_count == 0 ? origin : samples->origin;
    samples->span_count++;
}

/* Returns the classes of tracks with work, and notes whether operators are marked as such. */
static uint32_t survey(addition *self)
{
    uint32_t classes = 0;
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(self->profile, i);
        if (!is_work(self, &span)) {
            continue;
        }
        const tacho_track *track = &self->dict->tracks[span.track];
        classes |= TACHO_TRACK_BIT(track->track_class);
        self->is_marked =
            self->is_marked || (track->track_class == TACHO_TRACK_CONTROL &&
                                self->dict->sites[span.site].category == self->marked);
    }
    return classes;
}

static tacho_status prepare(addition *self)
{
    tacho_samples *samples = self->samples;
    self->op_key = find_string(self->dict, TACHO_STR("op"));
    self->type_key = find_string(self->dict, TACHO_STR("op_name"));
    self->bytes_key = find_string(self->dict, TACHO_STR("bytes"));
    for (size_t i = 0; i < SHAPE_KEY_COUNT; i++) {
        self->shape_keys[i] = find_string(self->dict, tacho_str_from_cstring(shape_keys[i]));
    }
    self->marked = self->op_key; /* the category of an operator's own span is the same word */
    uint32_t classes = survey(self);
    tacho_samples_domain domain = domain_of(classes);
    if (self->is_marked) {
        domain = TACHO_SAMPLES_CONTROL;
    }
    self->classes = samples->options.classes != 0 ? samples->options.classes : classes_of(domain);
    samples->domain = samples->domain == TACHO_SAMPLES_NONE ? domain : samples->domain;
    samples->has_mixed_domains =
        samples->has_mixed_domains || (domain != TACHO_SAMPLES_NONE && domain != samples->domain);
    TACHO_TRY(tacho_sample_steps_init(&self->steps, self->profile, domain));
    samples->kind = self->steps.kind > samples->kind ? self->steps.kind : samples->kind;
    TACHO_TRY(tacho_sample_layers_init(&self->layers, &self->steps, samples->options.layer_depth,
                                       &samples->strings));
    if (samples->options.needs_operators) {
        TACHO_TRY(
            tacho_sample_layers_init_operators(&self->operators, &self->steps, &samples->strings));
    }
    TACHO_TRY(tacho_items_make(&self->memos, self->dict->site_count));
    TACHO_TRY(tacho_items_make(&self->verdicts, self->dict->site_count));
    return tacho_items_make(&self->stacks, self->dict->track_count);
}

/* ---- operators ----------------------------------------------------------------------------- */

/* The text of an argument, empty if missing. */
static tacho_str find_text(const addition *self, const tacho_span *span, uint32_t key)
{
    const tacho_arg *arg = tacho_sample_arg(self->profile, span, key);
    if (arg != NULL && arg->type == TACHO_ARG_STRING) {
        return tacho_dict_string(self->dict, arg->value.as_string);
    }
    return arg != NULL && arg->type == TACHO_ARG_TEXT ? arg->value.as_text : TACHO_STR("");
}

static uint32_t find_shape(const addition *self, const tacho_span *span)
{
    for (size_t i = 0; i < SHAPE_KEY_COUNT; i++) {
        bool is_there = self->shape_keys[i] != TACHO_NONE;
        const tacho_arg *arg =
            is_there ? tacho_sample_arg(self->profile, span, self->shape_keys[i]) : NULL;
        if (arg != NULL) {
            return tacho_sample_arg_hash(self->profile, arg);
        }
    }
    return 0;
}

/*
 * Adds the shape of |span| to those of its operator: each once, so that number and order of calls
 * do not matter.
 */
static tacho_status add_shape(addition *self, const tacho_span *span, uint32_t op)
{
    tacho_samples *samples = self->samples;
    const tacho_sampled_shape shape = {op, find_shape(self, span)};
    if (shape.hash == 0) {
        return TACHO_OK;
    }
    uint32_t hash = tacho_index_hash(&samples->shape_index,
                                     tacho_str_make((const char *)&shape, sizeof(shape)));
    size_t at = tacho_index_begin(&samples->shape_index, hash);
    for (uint32_t id; (id = tacho_index_next(&samples->shape_index, hash, &at)) != TACHO_NONE;) {
        if (samples->shapes[id].op == op && samples->shapes[id].hash == shape.hash) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&samples->shapes, &samples->shape_capacity, samples->shape_count + 1));
    TACHO_TRY(tacho_index_add(&samples->shape_index, hash, (uint32_t)samples->shape_count));
    samples->shapes[samples->shape_count++] = shape;
    samples->ops[op].shape += shape.hash;
    return TACHO_OK;
}

static tacho_status ensure_op(tacho_samples *samples, const op_key *key, uint32_t *out_op)
{
    uint32_t bytes[4] = {key->name, key->location, key->layer, key->operators};
    uint32_t hash =
        tacho_index_hash(&samples->index, tacho_str_make((const char *)bytes, sizeof(bytes)));
    size_t at = tacho_index_begin(&samples->index, hash);
    while ((*out_op = tacho_index_next(&samples->index, hash, &at)) != TACHO_NONE) {
        tacho_sampled_op *op = &samples->ops[*out_op];
        if (op->name == key->name && op->location == key->location && op->layer == key->layer &&
            op->operators == key->operators) {
            op->type = op->type != 0 ? op->type : key->type;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&samples->ops, &samples->op_capacity, samples->op_count + 1));
    *out_op = (uint32_t)samples->op_count;
    samples->has_layers = samples->has_layers || key->layer != 0;
    samples->ops[samples->op_count++] = (tacho_sampled_op){.name = key->name,
                                                           .type = key->type,
                                                           .location = key->location,
                                                           .layer = key->layer,
                                                           .operators = key->operators,
                                                           .order = TACHO_NONE};
    return tacho_index_add(&samples->index, hash, *out_op);
}

/*
 * An operator of a model is named by an argument, and its transfers have names of their own ("load
 * conv1"): then only work on arithmetic engines determines the type.
 */
static tacho_status make_key(addition *self, const tacho_span *span, bool is_transfer,
                             op_key *out_key)
{
    tacho_samples *samples = self->samples;
    const tacho_dict *dict = self->dict;
    const tacho_site *site = &dict->sites[span->site];
    tacho_str name = find_text(self, span, self->op_key);
    tacho_str type = find_text(self, span, self->type_key);
    tacho_str location = TACHO_STR("");
    tacho_str span_name = tacho_dict_string(dict, tacho_operators_of_site(site));
    if (type.len == 0 && !(name.len > 0 && is_transfer)) {
        type = span_name;
    }
    name = name.len > 0 ? name : span_name;
    if (site->location != TACHO_NONE) {
        location = tacho_dict_string(dict, dict->locations[site->location].text);
    }
    TACHO_TRY(tacho_strings_ensure(&samples->strings, name, &out_key->name));
    TACHO_TRY(tacho_strings_ensure(&samples->strings, type, &out_key->type));
    return tacho_strings_ensure(&samples->strings, location, &out_key->location);
}

/* The string id of |arg|, TACHO_NONE without one; false if its text is not in the dict. */
static bool find_text_id(const tacho_arg *arg, uint32_t *out_id)
{
    *out_id = arg != NULL && arg->type == TACHO_ARG_STRING ? arg->value.as_string : TACHO_NONE;
    return arg == NULL || arg->type == TACHO_ARG_STRING;
}

/* Spans of a site mostly belong to one operator, so its strings are cached. */
static tacho_status find_op(addition *self, size_t id, const tacho_span *span, uint32_t *out_op)
{
    uint32_t layer = tacho_sample_layers_find(&self->layers, id, span->site);
    uint32_t operators = self->samples->options.needs_operators
                             ? tacho_sample_layers_find(&self->operators, id, span->site)
                             : 0;
    tacho_track_class track_class = self->dict->tracks[span->track].track_class;
    op_memo *memo = &self->memos[span->site];
    op_memo now = {.is_transfer =
                       track_class <= TACHO_TRACK_DMA_LOCAL && track_class >= TACHO_TRACK_DMA_IN};
    bool is_known = find_text_id(tacho_sample_arg(self->profile, span, self->op_key), &now.name);
    is_known =
        find_text_id(tacho_sample_arg(self->profile, span, self->type_key), &now.type) && is_known;
    bool is_same = is_known && memo->next_op > 0 && memo->name == now.name &&
                   memo->type == now.type && memo->is_transfer == now.is_transfer;
    if (is_same && memo->key.layer == layer && memo->key.operators == operators) {
        *out_op = memo->next_op - 1;
        return TACHO_OK;
    }
    if (is_same) {
        now.key = memo->key;
    } else {
        TACHO_TRY(make_key(self, span, now.is_transfer, &now.key));
    }
    now.key.layer = layer;
    now.key.operators = operators;
    TACHO_TRY(ensure_op(self->samples, &now.key, out_op));
    if (is_known) {
        *memo = now;
        memo->next_op = *out_op + 1;
    }
    return TACHO_OK;
}

/* The bytes that |span| moved, -1 if not known. */
static int64_t find_bytes(const addition *self, const tacho_span *span)
{
    const tacho_arg *arg = tacho_sample_arg(self->profile, span, self->bytes_key);
    bool is_count = arg != NULL && (arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT);
    return is_count && arg->value.as_int >= 0 ? arg->value.as_int : -1;
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* Arithmetic before transfers, transfers before everything else. */
static uint32_t rank_of(tacho_track_class track_class)
{
    switch ((int)track_class) {
    case TACHO_TRACK_COMPUTE:
    case TACHO_TRACK_VECTOR:
    case TACHO_TRACK_HOST:
        return 0;
    case TACHO_TRACK_DMA_IN:
    case TACHO_TRACK_DMA_OUT:
    case TACHO_TRACK_DMA_LOCAL:
    case TACHO_TRACK_HOST_COPY:
        return 1;
    default:
        return 2;
    }
}

/* Adds the part of |piece| in the window |at|; the span is counted in the window that launched
 * it. */
static tacho_status add_cut(addition *self, const tacho_sample_piece *piece, uint32_t at)
{
    tacho_sample_window *window = &self->steps.windows[at];
    tacho_sample_piece cut = *piece;
    if (window->sample == TACHO_NONE) {
        return TACHO_OK;
    }
    window->has_work = true;
    window->axis = piece->axis;
    cut.sample = window->sample;
    cut.end_ns = piece->end_ns < window->end_ns ? piece->end_ns : window->end_ns;
    cut.start_ns = tacho_most(piece->start_ns, window->start_ns);
    cut.start_ns = cut.start_ns < window->end_ns ? cut.start_ns : window->end_ns;
    cut.end_ns = tacho_most(cut.end_ns, cut.start_ns);
    if (at != piece->sample) {
        cut.count = 0;
        cut.bytes = -1;
    }
    return tacho_sample_pieces_add(&self->pieces, &cut);
}

/* Adds a piece of a step, whose sample is still a window: cuts it at the bounds of steps. */
static tacho_status add_of_steps(addition *self, const tacho_sample_piece *piece)
{
    const tacho_sample_steps *steps = &self->steps;
    size_t first = tacho_sample_steps_after(steps, piece->part, piece->start_ns);
    size_t at = first;
    for (; at < steps->parts[piece->part + 1] && steps->windows[at].start_ns < piece->end_ns;
         at++) {
        TACHO_TRY(add_cut(self, piece, (uint32_t)at));
    }
    bool is_elsewhere = piece->sample < first || piece->sample >= at;
    return is_elsewhere && piece->sample != TACHO_NONE && piece->count > 0
               ? add_cut(self, piece, piece->sample)
               : TACHO_OK;
}

static tacho_status add_piece(addition *self, const tacho_sample_piece *piece)
{
    return self->steps.kind == TACHO_SAMPLES_STEPS ? add_of_steps(self, piece)
                                                   : tacho_sample_pieces_add(&self->pieces, piece);
}

/* Counts the rest of the calls that end by |now|; the calls around them continue from there. */
static tacho_status end_calls(addition *self, call_stack *stack, int64_t now)
{
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end_ns <= now) {
        const tacho_sample_piece piece = stack->items[--stack->item_count];
        if (piece.end_ns > piece.start_ns || piece.count > 0) {
            TACHO_TRY(add_piece(self, &piece));
        }
        if (stack->item_count > 0) {
            tacho_sample_piece *outer = &stack->items[stack->item_count - 1];
            outer->start_ns = tacho_most(outer->start_ns, piece.end_ns);
        }
    }
    return TACHO_OK;
}

/* Adds a call, which interrupts the one around it. A call that crosses another is not nested. */
static tacho_status add_call(addition *self, call_stack *stack, tacho_sample_piece piece)
{
    TACHO_TRY(end_calls(self, stack, piece.start_ns));
    if (stack->item_count > 0) {
        tacho_sample_piece *outer = &stack->items[stack->item_count - 1];
        if (piece.end_ns > outer->end_ns) {
            return add_piece(self, &piece);
        }
        tacho_sample_piece before = *outer;
        before.end_ns = piece.start_ns;
        /* The first piece counts the call, however short it is. */
        if (before.end_ns > before.start_ns || before.count > 0) {
            TACHO_TRY(add_piece(self, &before));
        }
        outer->start_ns = tacho_most(outer->start_ns, piece.start_ns);
        outer->count = 0;
        outer->bytes = -1;
    }
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count++] = piece;
    return TACHO_OK;
}

/* Whether the filter, if there is one, accepts the name of |site|. */
static bool is_wanted(addition *self, uint32_t id)
{
    const tacho_name_filter *filter = &self->samples->options.names;
    const tacho_dict *dict = self->dict;
    if (filter->accepts == NULL) {
        return true;
    }
    if (self->verdicts[id] == NOT_ASKED) {
        const tacho_site *site = &dict->sites[id];
        tacho_str location = site->location != TACHO_NONE
                                 ? tacho_dict_string(dict, dict->locations[site->location].text)
                                 : TACHO_STR("");
        bool is_accepted =
            filter->accepts(filter->self, tacho_dict_string(dict, site->name), location);
        self->verdicts[id] = is_accepted ? WANTED : UNWANTED;
    }
    return self->verdicts[id] == WANTED;
}

static bool is_chosen(addition *self, const tacho_span *span)
{
    const tacho_track *track = &self->dict->tracks[span->track];
    return (self->classes & TACHO_TRACK_BIT(track->track_class)) != 0 && is_work(self, span) &&
           (!self->is_marked || self->dict->sites[span->site].category == self->marked) &&
           is_wanted(self, span->site);
}

/* Finds the sample of |span|, or the window of its step; false if it does not count. */
static bool find_sample(addition *self, size_t id, const tacho_span *span,
                        tacho_sample_piece *piece)
{
    const tacho_sample_steps *steps = &self->steps;
    bool is_left_out = false;
    bool is_beside = false; /* runs in a step that did not launch it */
    if (steps->kind != TACHO_SAMPLES_STEPS) {
        piece->sample = tacho_sample_steps_find(steps, id, span);
        is_left_out = steps->kind == TACHO_SAMPLES_RUNS && span->run != TACHO_NONE;
    } else {
        piece->sample = tacho_sample_steps_window(steps, id, span);
        size_t after = tacho_sample_steps_after(steps, piece->part, piece->start_ns);
        is_beside =
            after < steps->parts[piece->part + 1] && steps->windows[after].start_ns < piece->end_ns;
    }
    if (piece->sample == TACHO_NONE && !is_left_out) {
        self->samples->outside_count++;
    }
    return piece->sample != TACHO_NONE || is_beside;
}

static tacho_status add_span(addition *self, size_t id, const tacho_span *span)
{
    const tacho_track *track = &self->dict->tracks[span->track];
    const tacho_clock *clock = tacho_dict_track_clock(self->dict, span->track);
    if (!is_chosen(self, span)) {
        return TACHO_OK;
    }
    tacho_sample_piece piece = {
        .start_ns = tacho_clock_ns(clock, span->start),
        .end_ns = tacho_clock_ns(clock, span->end),
        .part = track->part,
        .axis = clock->has_fixed_zero ? 0 : track->part + 1,
        .rank = rank_of(track->track_class),
        .count = 1,
    };
    if (!find_sample(self, id, span, &piece)) {
        return TACHO_OK;
    }
    note_origin(self, span);
    TACHO_TRY(find_op(self, id, span, &piece.op));
    TACHO_TRY(add_shape(self, span, piece.op));
    piece.bytes = find_bytes(self, span);
    return track->nesting == TACHO_NESTING_STACK ? add_call(self, &self->stacks[span->track], piece)
                                                 : add_piece(self, &piece);
}

static tacho_status cut_spans(addition *self)
{
    TACHO_TRY(tacho_sample_pieces_reserve(&self->pieces, self->profile->span_count));
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(self->profile, i);
        TACHO_TRY(add_span(self, i, &span));
    }
    for (size_t i = 0; i < self->dict->track_count; i++) {
        TACHO_TRY(end_calls(self, &self->stacks[i], INT64_MAX));
    }
    return TACHO_OK;
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Samples are in order, so the current cell of an operator is its last one. */
static tacho_status ensure_cell(addition *self, const tacho_sample_piece *piece,
                                tacho_sample_cell **out_cell)
{
    tacho_samples *samples = self->samples;
    tacho_sampled_op *op = &samples->ops[piece->op];
    uint32_t sample = self->first_sample + piece->sample;
    op->order = op->order == TACHO_NONE ? samples->started_count++ : op->order;
    if (op->cell_count == 0 || op->cells[op->cell_count - 1].sample != sample) {
        TACHO_TRY(tacho_grow(&op->cells, &op->cell_capacity, op->cell_count + 1));
        op->cells[op->cell_count++] = (tacho_sample_cell){.sample = sample, .bytes = -1};
    }
    *out_cell = &op->cells[op->cell_count - 1];
    return TACHO_OK;
}

/* Adds the time between the bounds of a sample, idle until pieces count in it. */
static void note_bound(addition *self, const tacho_sample_piece *piece)
{
    tacho_sample_whole *whole = &self->samples->wholes[self->first_sample + piece->sample];
    const tacho_sample_piece *last = &self->last_bound;
    bool is_inner =
        self->has_last_bound && last->sample == piece->sample && last->axis == piece->axis;
    int64_t time_ns = is_inner ? piece->start_ns - last->start_ns : 0;
    whole->wall_ns = tacho_cycles_add(whole->wall_ns, time_ns);
    whole->idle_ns = tacho_cycles_add(whole->idle_ns, time_ns);
    self->last_bound = *piece;
    self->has_last_bound = true;
}

static tacho_status start_piece(void *user, const tacho_sample_piece *piece)
{
    tacho_sample_cell *cell = NULL;
    if (piece->op == TACHO_NONE) {
        note_bound(user, piece);
        return TACHO_OK;
    }
    TACHO_TRY(ensure_cell(user, piece, &cell));
    cell->busy_ns = tacho_cycles_add(cell->busy_ns, piece->end_ns - piece->start_ns);
    cell->count += cell->count < UINT32_MAX ? piece->count : 0;
    if (piece->bytes >= 0) {
        cell->bytes = tacho_cycles_add(cell->bytes < 0 ? 0 : cell->bytes, piece->bytes);
    }
    return TACHO_OK;
}

static tacho_status count_piece(void *user, const tacho_sample_piece *piece, int64_t wall_ns,
                                int64_t gap_ns)
{
    addition *self = user;
    tacho_sample_cell *cell = NULL;
    tacho_sample_whole *whole = &self->samples->wholes[self->first_sample + piece->sample];
    TACHO_TRY(ensure_cell(self, piece, &cell));
    cell->wall_ns = tacho_cycles_add(cell->wall_ns, wall_ns);
    cell->gap_ns = tacho_cycles_add(cell->gap_ns, gap_ns);
    if (self->has_bounds) {
        whole->idle_ns -= wall_ns;
        return TACHO_OK;
    }
    whole->wall_ns = tacho_cycles_add(whole->wall_ns, tacho_cycles_add(wall_ns, gap_ns));
    whole->idle_ns = tacho_cycles_add(whole->idle_ns, gap_ns);
    return TACHO_OK;
}

/* Numbers the samples that have work, and counts them: samples without work are dropped. */
static tacho_status number_samples(addition *self, uint32_t *out_count)
{
    uint32_t *numbers = NULL; /* by sample of the file */
    uint64_t empty_count = 0;
    bool is_of_steps = self->steps.kind == TACHO_SAMPLES_STEPS;
    *out_count = 0;
    TACHO_TRY(tacho_items_make(&numbers, self->steps.sample_count));
    for (size_t i = 0; i < self->pieces.item_count; i++) {
        numbers[self->pieces.items[i].sample] = 1;
    }
    for (size_t i = 0; i < self->steps.sample_count; i++) {
        empty_count += numbers[i] == 0 ? 1 : 0;
        numbers[i] = numbers[i] != 0 ? (*out_count)++ : TACHO_NONE;
    }
    for (size_t i = 0; i < self->pieces.item_count; i++) {
        self->pieces.items[i].sample = numbers[self->pieces.items[i].sample];
    }
    self->samples->left_out_count += self->steps.left_out_count;
    self->samples->empty_count += empty_count - (is_of_steps ? self->steps.left_out_count : 0);
    free(numbers);
    return TACHO_OK;
}

/* If all operators are compared, samples of steps take the time of the steps. */
static tacho_status add_bounds(addition *self)
{
    const tacho_samples_options *options = &self->samples->options;
    const tacho_sample_steps *steps = &self->steps;
    self->has_bounds = steps->kind == TACHO_SAMPLES_STEPS && options->classes == 0 &&
                       options->names.accepts == NULL;
    for (size_t i = 0; i < steps->window_count && self->has_bounds; i++) {
        const tacho_sample_window *window = &steps->windows[i];
        tacho_sample_piece bound = {.start_ns = window->start_ns,
                                    .end_ns = window->start_ns,
                                    .op = TACHO_NONE,
                                    .sample = window->sample,
                                    .axis = window->axis,
                                    .bytes = -1};
        TACHO_TRY(window->has_work ? tacho_sample_pieces_add(&self->pieces, &bound) : TACHO_OK);
        bound.start_ns = bound.end_ns = window->end_ns;
        TACHO_TRY(window->has_work ? tacho_sample_pieces_add(&self->pieces, &bound) : TACHO_OK);
    }
    return TACHO_OK;
}

static tacho_status add_up(addition *self)
{
    tacho_samples *samples = self->samples;
    uint32_t added_count = 0;
    TACHO_TRY(add_bounds(self));
    TACHO_TRY(number_samples(self, &added_count));
    size_t count = samples->whole_count + added_count;
    self->first_sample = (uint32_t)samples->whole_count;
    TACHO_TRY(count <= TACHO_NONE
                  ? tacho_grow(&samples->wholes, &samples->whole_capacity, count)
                  : tacho_fail(TACHO_CODE_BAD_DATA, "too many inferences or steps to compare"));
    while (samples->whole_count < count) {
        samples->wholes[samples->whole_count++] = (tacho_sample_whole){.file = samples->file_count};
    }
    const tacho_sweep_taker taker = {start_piece, count_piece, self};
    return tacho_sample_pieces_sweep(&self->pieces, &taker);
}

static void note_facts(addition *self)
{
    tacho_samples *samples = self->samples;
    for (size_t i = 0; i < self->dict->loss_count; i++) {
        samples->lost_count += self->dict->losses[i].count;
    }
    for (size_t i = 0; i < self->dict->clock_count && samples->clock_hz == 0; i++) {
        const tacho_clock *clock = &self->dict->clocks[i];
        if (clock->counts_cycles) {
            samples->clock_hz = 1e9 * (double)clock->ns_denominator / (double)clock->ns_numerator;
        }
    }
    samples->file_count++;
}

tacho_status tacho_samples_add(tacho_samples *samples, const tacho_profile *profile)
{
    addition self = {.samples = samples, .profile = profile, .dict = profile->events.dict};
    tacho_status status = prepare(&self);
    status = status == TACHO_OK ? cut_spans(&self) : status;
    status = status == TACHO_OK ? tacho_name_filter_check(&samples->options.names) : status;
    status = status == TACHO_OK ? add_up(&self) : status;
    if (status == TACHO_OK) {
        note_facts(&self);
    }
    for (size_t i = 0; self.stacks != NULL && i < self.dict->track_count; i++) {
        free(self.stacks[i].items);
    }
    free(self.stacks);
    free(self.memos);
    free(self.verdicts);
    tacho_sample_layers_deinit(&self.layers);
    tacho_sample_layers_deinit(&self.operators);
    tacho_sample_pieces_deinit(&self.pieces);
    tacho_sample_steps_deinit(&self.steps);
    return status;
}
