/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of operators to forms of kernels. Only data movement is decided by an operator's name: most
 * such operators are views in PyTorch, which copies later or never.
 */
#include "compile/gpu_form.h"

#include "base/index.h"
#include "base/maths.h"

#include <string.h>

typedef struct former {
    const tacho_fusion *fusion;
    const tacho_graph *graph;
    const tacho_fused_op *op;
    const tacho_node *root;
    uint64_t inferences;
    tacho_work *work;
} former;

static uint64_t elements_of(const tacho_tensor *tensor)
{
    uint64_t count = 0;
    return tensor != NULL && tacho_shape_elements(tensor->shape, &count) ? count : 0;
}

static uint64_t output_elements(const former *self)
{
    return elements_of(tacho_graph_output(self->graph, self->root, 0)) * self->inferences;
}

static const tacho_node *member(const former *self, uint32_t i)
{
    return &self->graph->nodes[self->fusion->members[self->op->first_member + i]];
}

/* Whether the PyTorch operator that a node was exported from begins with |word|. */
static bool comes_from(const former *self, const tacho_node *node, const char *word)
{
    return tacho_str_starts_with(tacho_graph_origin(self->graph, node),
                                 tacho_str_from_cstring(word));
}

/* ---- products ------------------------------------------------------------------------------ */

/* The first product of attention; NULL for other operators. */
static const tacho_node *find_scores(const former *self, const tacho_fused_op *op)
{
    bool has_softmax = false;
    const tacho_node *first = NULL;
    for (uint32_t i = 0; i < op->member_count; i++) {
        const tacho_node *node = &self->graph->nodes[self->fusion->members[op->first_member + i]];
        tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
        has_softmax |= kind == TACHO_OP_SOFTMAX;
        first = first == NULL && kind == TACHO_OP_MATMUL ? node : first;
    }
    return has_softmax ? first : NULL;
}

static bool is_made_inside(const former *self, const tacho_tensor *tensor)
{
    for (uint32_t i = 0; i < self->op->member_count; i++) {
        if (self->fusion->members[self->op->first_member + i] == tensor->producer) {
            return true;
        }
    }
    return false;
}

static uint64_t dim_from_end(const tacho_tensor *tensor, int32_t i)
{
    return tensor != NULL && tensor->shape->rank >= i
               ? (uint64_t)tensor->shape->dims[tensor->shape->rank - i]
               : 1;
}

/*
 * The mask of attention: the operand added between the scores and their softmax, with a number for
 * each key at least. A constant one only hides later keys, as kernels do by themselves. NULL: none.
 */
static const tacho_tensor *find_mask(const former *self, const tacho_node *scores, uint64_t keys)
{
    for (uint32_t i = 0; i < self->op->member_count; i++) {
        const tacho_node *node = member(self, i);
        bool is_behind = node > scores && tacho_op_kind_of(self->graph, node) == TACHO_OP_BINARY;
        for (size_t j = 0; is_behind && j < node->input_count; j++) {
            const tacho_tensor *read = tacho_graph_input(self->graph, node, j);
            if (read != NULL && !read->is_constant && !is_made_inside(self, read) &&
                dim_from_end(read, 1) == keys) {
                return read;
            }
        }
    }
    return NULL;
}

/* Whether a constant hides keys: one with a number for each score. */
static bool hides_keys(const former *self, const tacho_node *scores)
{
    const tacho_tensor *made = tacho_graph_output(self->graph, scores, 0);
    bool hides = false;
    for (uint32_t i = 0; i < self->op->member_count; i++) {
        const tacho_node *node = member(self, i);
        for (size_t j = 0; node > scores && j < node->input_count; j++) {
            const tacho_tensor *read = tacho_graph_input(self->graph, node, j);
            hides |= read != NULL && read->is_constant && dim_from_end(read, 1) > 1 &&
                     dim_from_end(read, 1) == dim_from_end(made, 1) &&
                     dim_from_end(read, 2) == dim_from_end(made, 2);
        }
    }
    return hides;
}

/* Queries by keys, and scores by values: as many multiplications each. */
static void set_attention(const former *self, const tacho_node *scores)
{
    const tacho_tensor *queries = tacho_graph_input(self->graph, scores, 0);
    const tacho_tensor *made = tacho_graph_output(self->graph, scores, 0);
    tacho_work *work = self->work;
    work->m = dim_from_end(made, 2);
    work->n = dim_from_end(made, 1);
    uint64_t each = tacho_size_multiply(work->m, work->n);
    work->batch = each > 0 ? elements_of(made) / each * self->inferences : 0;
    work->k_channels = dim_from_end(queries, 1);
    work->k_window = 2;
    uint64_t side = output_elements(self);
    uint64_t one = side > 0 ? work->output.bytes / side : 0;
    uint64_t rows = tacho_size_multiply(work->batch, work->k_channels);
    work->input.bytes = tacho_size_multiply(tacho_size_multiply(rows, one), work->m + 2 * work->n);
    const tacho_tensor *mask = find_mask(self, scores, work->n);
    work->kernel.has_mask = mask != NULL;
    work->kernel.is_causal = mask == NULL && work->m > 1 && hides_keys(self, scores);
    work->input.bytes =
        tacho_size_add(work->input.bytes, tacho_size_multiply(elements_of(mask), one));
    work->weights.bytes = 0;
    work->input_extra_bytes = work->weights_extra_bytes = 0;
    work->kernel.form = TACHO_FORM_ATTENTION;
}

/* Whether a matrix of a batch is a view whose lines are not contiguous: products need a copy. */
static bool is_scattered(const former *self, size_t operand)
{
    const tacho_tensor *tensor = tacho_graph_input(self->graph, self->root, operand);
    uint32_t producer = tensor != NULL ? tensor->producer : TACHO_NONE;
    const tacho_node *maker = producer != TACHO_NONE ? &self->graph->nodes[producer] : NULL;
    bool is_turned =
        maker != NULL && maker->def != NULL && strcmp(maker->def->name, "Transpose") == 0;
    uint64_t images = tensor != NULL && tensor->shape->rank > 3
                          ? (uint64_t)tensor->shape->dims[0] * self->inferences
                          : 1;
    return is_turned && images > 1;
}

static void set_product(const former *self)
{
    const tacho_node *scores = find_scores(self, self->op);
    if (scores != NULL) {
        set_attention(self, scores);
        return;
    }
    tacho_work_kernel *kernel = &self->work->kernel;
    kernel->form = TACHO_FORM_PRODUCT;
    kernel->has_bias = self->root->input_count > 2 || self->op->member_count > 1 ||
                       comes_from(self, self->root, "addmm");
    kernel->is_linear = comes_from(self, self->root, "linear"); /* it may have no bias */
    kernel->copies = (is_scattered(self, 0) ? 1u : 0u) + (is_scattered(self, 1) ? 1u : 0u);
}

/* Positions of one channel of one image. */
static uint64_t plane_of(const tacho_tensor *tensor)
{
    uint64_t plane = 1;
    for (int32_t i = 2; tensor != NULL && i < tensor->shape->rank; i++) {
        plane = tacho_size_multiply(plane, (uint64_t)tensor->shape->dims[i]);
    }
    return plane;
}

static void set_convolution(const former *self)
{
    const tacho_tensor *made = tacho_graph_output(self->graph, self->root, 0);
    tacho_work_kernel *kernel = &self->work->kernel;
    size_t count = 0;
    const int64_t *strides = tacho_attr_ints(tacho_graph_attrs(self->graph, self->root),
                                             self->root->attr_count, "strides", &count);
    kernel->form = TACHO_FORM_CONVOLUTION;
    kernel->plane = plane_of(made);
    kernel->stride = 1;
    for (size_t i = 0; i < count; i++) {
        kernel->stride *= strides[i] > 0 && strides[i] < UINT16_MAX ? (uint64_t)strides[i] : 1;
    }
    kernel->has_affine = comes_from(self, self->root, "_native_batch_norm") ||
                         comes_from(self, self->root, "batch_norm");
    kernel->has_bias = self->root->input_count > 2;
}

/* ---- elements ------------------------------------------------------------------------------ */

/* Whether all that is read is as large as the result, or one number. */
static bool is_side_by_side(const former *self)
{
    uint64_t made = elements_of(tacho_graph_output(self->graph, self->root, 0));
    const uint32_t firsts[] = {self->op->first_input, self->op->first_weight};
    const uint32_t counts[] = {self->op->input_count, self->op->weight_count};
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < counts[i]; j++) {
            uint64_t read = elements_of(tacho_fusion_tensor(self->fusion, firsts[i], j));
            if (read > 1 && read != made) {
                return false;
            }
        }
    }
    return true;
}

/* Weighted sums of neighbours: a thread does one place of all channels of all images. */
static bool is_resampling(const former *self)
{
    tacho_str mode =
        tacho_attr_text(tacho_graph_attrs(self->graph, self->root), self->root->attr_count, "mode");
    return self->root->def != NULL && strcmp(self->root->def->name, "Resize") == 0 &&
           mode.len > 0 && !tacho_str_equal(mode, TACHO_STR("nearest"));
}

static void set_elements(const former *self)
{
    bool is_math = false;
    if (is_resampling(self)) {
        uint64_t plane = plane_of(tacho_graph_output(self->graph, self->root, 0));
        self->work->kernel.form = TACHO_FORM_RESAMPLE;
        self->work->kernel.reach = output_elements(self);
        self->work->kernel.depth = plane > 0 ? output_elements(self) / plane : 1;
        return;
    }
    for (uint32_t i = 0; i < self->op->member_count; i++) {
        const tacho_node *node = member(self, i);
        is_math |= tacho_op_kind_of(self->graph, node) == TACHO_OP_UNARY &&
                   tacho_op_steps_of(self->graph, node) >= TACHO_STEPS_ERF;
    }
    self->work->kernel.form = !is_side_by_side(self) ? TACHO_FORM_STRIDED
                              : is_math              ? TACHO_FORM_MATH
                                                     : TACHO_FORM_ELEMENT;
    self->work->kernel.reach = output_elements(self);
}

/* Lines of |line| elements each, over all that is read. */
static void set_lines(const former *self, tacho_form form, uint64_t line)
{
    tacho_work_kernel *kernel = &self->work->kernel;
    const tacho_tensor *read = tacho_graph_input(self->graph, self->root, 0);
    kernel->form = form;
    kernel->reach = elements_of(read) * self->inferences;
    kernel->lines = line > 0 ? kernel->reach / line : 0;
}

enum { WARP_LINE_MAX = 1024 };

static void set_softmax(const former *self)
{
    uint64_t line = self->work->line > 0 ? self->work->line : 1;
    set_lines(self, line <= WARP_LINE_MAX ? TACHO_FORM_SOFTMAX : TACHO_FORM_LONG_SOFTMAX, line);
    uint64_t held = 1; /* a warp holds lines of powers of two */
    while (held < line && line <= WARP_LINE_MAX) {
        held *= 2;
    }
    if (line <= WARP_LINE_MAX) {
        self->work->kernel.reach = tacho_size_multiply(self->work->kernel.lines, held);
    }
}

/* ---- sums, maxima and their places ----------------------------------------------------------- */

/*
 * Threads of PyTorch's reductions: a block of 512 does up to 16 lines at a time; a line that leaves
 * a thread more elements than these gets the whole block.
 */
enum {
    BLOCK_THREADS = 512,
    BLOCK_LINES = 16,
    THREAD_ELEMENTS = 256,
    COLUMN_PARTS = 16, /* of a column that is longer than that */
    COLUMN_DEPTH = 128,
    WORD_BYTES = 4,
    SCAN_WIDTH_MIN = 4, /* logarithms of the threads that add up a line */
    SCAN_WIDTH_MAX = 9,
};

static uint64_t power_below(uint64_t number)
{
    uint64_t power = 1;
    while (power <= number / 2) {
        power *= 2;
    }
    return power;
}

/* The logarithm to the base of two, rounded up. */
static int log_above(uint64_t number)
{
    int log = 0;
    while (log < 63 && (UINT64_C(1) << log) < number) {
        log++;
    }
    return log;
}

static uint64_t depth_of_line(uint64_t lines, uint64_t line)
{
    uint64_t at_once = tacho_least(BLOCK_LINES, power_below(lines));
    uint64_t threads = BLOCK_THREADS / at_once;
    bool is_long = line / threads >= tacho_least(THREAD_ELEMENTS, BLOCK_LINES * at_once);
    return tacho_ceil_div(line, is_long ? BLOCK_THREADS : threads);
}

static uint64_t depth_of_column(uint64_t column)
{
    uint64_t part = tacho_ceil_div(column, COLUMN_PARTS);
    return column <= THREAD_ELEMENTS ? column : tacho_least(part, COLUMN_DEPTH);
}

/* Running sums: a block has some lines, and adds up as many elements of each as it has threads. */
static void set_scan(const former *self, uint64_t line)
{
    tacho_work_kernel *kernel = &self->work->kernel;
    int width = (SCAN_WIDTH_MAX + log_above(line) - log_above(kernel->lines)) / 2;
    width = width < SCAN_WIDTH_MIN   ? SCAN_WIDTH_MIN
            : width > SCAN_WIDTH_MAX ? SCAN_WIDTH_MAX
                                     : width;
    uint64_t threads = UINT64_C(1) << width;
    uint64_t blocks = tacho_ceil_div(kernel->lines, BLOCK_THREADS / threads);
    kernel->depth = kernel->lines > 1 ? tacho_ceil_div(line, 2 * threads) : 1;
    kernel->reach = tacho_size_multiply(blocks, kernel->depth);
    kernel->lines = blocks;
}

static void set_pool(const former *self)
{
    tacho_work_kernel *kernel = &self->work->kernel;
    uint64_t made = output_elements(self);
    uint64_t read = elements_of(tacho_graph_input(self->graph, self->root, 0)) * self->inferences;
    size_t count = 0;
    const tacho_attr *attrs = tacho_graph_attrs(self->graph, self->root);
    const int64_t *window = tacho_attr_ints(attrs, self->root->attr_count, "kernel_shape", &count);
    if (window == NULL) { /* of the whole plane */
        uint64_t plane = made > 0 ? read / made : 0;
        set_lines(self, TACHO_FORM_REDUCE, plane);
        kernel->depth = depth_of_line(kernel->lines > 0 ? kernel->lines : 1, plane);
        return;
    }
    kernel->form = TACHO_FORM_POOL;
    kernel->reach = made;
    for (size_t i = 0; i < count; i++) {
        kernel->reach = tacho_size_multiply(kernel->reach, window[i] > 0 ? (uint64_t)window[i] : 1);
    }
}

/* ---- moves --------------------------------------------------------------------------------- */

typedef enum move_kind { MOVE_COPY, MOVE_VIEW, MOVE_TURN, MOVE_JOIN, MOVE_STRIDED } move_kind;

static move_kind move_of(const tacho_node *node)
{
    static const struct {
        const char *name;
        move_kind kind;
    } moves[] = {
        {"Transpose", MOVE_TURN},    {"tosa.transpose", MOVE_TURN}, {"Concat", MOVE_JOIN},
        {"tosa.concat", MOVE_JOIN},  {"Slice", MOVE_VIEW},          {"Split", MOVE_VIEW},
        {"Expand", MOVE_VIEW},       {"tosa.slice", MOVE_VIEW},     {"Pad", MOVE_STRIDED},
        {"Resize", MOVE_STRIDED},    {"Tile", MOVE_STRIDED},        {"tosa.pad", MOVE_STRIDED},
        {"tosa.tile", MOVE_STRIDED},
    };
    for (size_t i = 0; node->def != NULL && i < sizeof(moves) / sizeof(moves[0]); i++) {
        if (strcmp(node->def->name, moves[i].name) == 0) {
            return moves[i].kind;
        }
    }
    return MOVE_COPY;
}

/* Whether two shapes are the same but for axes of one. */
static bool is_same_but_ones(const tacho_shape *a, const tacho_shape *b)
{
    int32_t i = 0;
    int32_t j = 0;
    for (;;) {
        while (i < a->rank && a->dims[i] == 1) {
            i++;
        }
        while (j < b->rank && b->dims[j] == 1) {
            j++;
        }
        if (i == a->rank || j == b->rank) {
            return i == a->rank && j == b->rank;
        }
        if (a->dims[i++] != b->dims[j++]) {
            return false;
        }
    }
}

/* Whether elements keep their order in memory: nothing but axes of one changed places. */
static bool keeps_order(const former *self)
{
    const tacho_tensor *read = tacho_graph_input(self->graph, self->root, 0);
    size_t count = 0;
    const int64_t *places = tacho_attr_ints(tacho_graph_attrs(self->graph, self->root),
                                            self->root->attr_count, "perm", &count);
    int64_t last = -1;
    bool is_kept = places != NULL && read != NULL && count == (size_t)read->shape->rank;
    for (size_t i = 0; is_kept && i < count; i++) {
        bool is_axis = places[i] >= 0 && places[i] < read->shape->rank;
        if (!is_axis || read->shape->dims[places[i]] != 1) {
            is_kept = is_axis && places[i] > last;
            last = places[i];
        }
    }
    return is_kept;
}

enum { OPS_BACK = 16 };

/* Whether attention makes |tensor|, not long before this operator. */
static bool is_of_attention(const former *self, const tacho_tensor *tensor)
{
    const tacho_fused_op *op = self->op;
    for (int i = 0; i < OPS_BACK && op > self->fusion->ops && tensor != NULL; i++) {
        op--;
        if (op->root == tensor->producer) {
            return find_scores(self, op) != NULL;
        }
    }
    return false;
}

/*
 * Whether a reader needs the moved data in one piece: the network returns it, or a view folds axes
 * that are not nested. The result of attention can have any layout.
 */
static bool is_copied(const former *self)
{
    const tacho_graph *graph = self->graph;
    uint32_t made = graph->links[self->root->first_output];
    const tacho_tensor *read = tacho_graph_input(graph, self->root, 0);
    if (graph->tensors[made].is_output) {
        return true;
    }
    bool is_free = is_of_attention(self, read);
    for (uint32_t i = self->fusion->members[self->op->first_member] + 1;
         !is_free && i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        bool reads = node->input_count > 0 && graph->links[node->first_input] == made;
        if (reads && tacho_op_kind_of(graph, node) == TACHO_OP_VIEW && node->output_count > 0) {
            const tacho_tensor *seen = tacho_graph_output(graph, node, 0);
            return !is_same_but_ones(graph->tensors[made].shape, seen->shape) || seen->is_output;
        }
        if (i > self->root->index + 256) {
            break;
        }
    }
    return false;
}

enum { NEAR_ROWS = 150 };

/* Columns of few rows fit in the cache together. */
static uint64_t turned_reach(const former *self, uint64_t made)
{
    uint64_t rows = dim_from_end(tacho_graph_input(self->graph, self->root, 0), 2);
    return rows > 0 && rows < NEAR_ROWS ? made * rows / NEAR_ROWS : made;
}

static void set_move(const former *self)
{
    tacho_work_kernel *kernel = &self->work->kernel;
    uint64_t made = output_elements(self);
    size_t count = 0;
    const int64_t *places = tacho_attr_ints(tacho_graph_attrs(self->graph, self->root),
                                            self->root->attr_count, "perm", &count);
    bool is_last = places != NULL && count > 0 && places[count - 1] == (int64_t)count - 1;
    uint64_t read = elements_of(tacho_graph_input(self->graph, self->root, 0)) * self->inferences;
    kernel->reach = made;
    switch (move_of(self->root)) {
    case MOVE_TURN:
        kernel->form = keeps_order(self) || !is_copied(self) ? TACHO_FORM_VIEW
                       : is_last                             ? TACHO_FORM_STRIDED
                                                             : TACHO_FORM_TRANSPOSE;
        kernel->reach = kernel->form == TACHO_FORM_TRANSPOSE ? turned_reach(self, made) : made;
        break;
    case MOVE_VIEW:
        kernel->form = is_copied(self) ? TACHO_FORM_STRIDED : TACHO_FORM_VIEW;
        break;
    case MOVE_JOIN:
        kernel->form = TACHO_FORM_CONCAT;
        break;
    case MOVE_STRIDED:
        kernel->form = TACHO_FORM_STRIDED;
        break;
    case MOVE_COPY: /* one index of all is a view */
        kernel->form =
            self->root->input_count > 1 && made < read && comes_from(self, self->root, "select")
                ? TACHO_FORM_VIEW
                : TACHO_FORM_ELEMENT;
        break;
    }
}

static void set_norm(const former *self)
{
    set_lines(self, TACHO_FORM_NORM, self->work->line);
}

static bool is_root(const former *self, const char *type)
{
    return tacho_str_equal(tacho_graph_string(self->graph, self->root->type),
                           tacho_str_from_cstring(type));
}

static void set_reduction(const former *self)
{
    tacho_work_kernel *kernel = &self->work->kernel;
    uint64_t line = self->work->line > 0 ? self->work->line : 1;
    bool is_apart = self->work->line_step > 1 || line == 1; /* one each: a copy */
    bool is_scan = is_root(self, "CumSum");
    bool finds_places = is_root(self, "ArgMax") || is_root(self, "ArgMin");
    set_lines(self, is_apart ? TACHO_FORM_REDUCE_COLUMNS : TACHO_FORM_REDUCE, line);
    if (is_scan && !is_apart) {
        kernel->form = TACHO_FORM_SCAN;
        set_scan(self, line);
    } else if (is_scan) {
        kernel->form = TACHO_FORM_SCAN_COLUMNS;
    } else if (kernel->lines <= 1 && !finds_places) {
        kernel->form = TACHO_FORM_REDUCE_ALL;
        kernel->depth = tacho_least(tacho_ceil_div(line, BLOCK_THREADS), BLOCK_LINES);
    } else {
        kernel->form = !finds_places ? kernel->form
                       : is_apart    ? TACHO_FORM_ARGMAX_COLUMNS
                                     : TACHO_FORM_ARGMAX;
        kernel->depth = is_apart ? depth_of_column(line) : depth_of_line(kernel->lines, line);
    }
    if (kernel->form == TACHO_FORM_REDUCE_COLUMNS) { /* columns side by side, in words */
        uint64_t one = WORD_BYTES;
        (void)tacho_dtype_bytes(self->work->output.dtype, 1, &one);
        uint64_t bytes = tacho_size_multiply(kernel->reach, one);
        kernel->reach = tacho_ceil_div(bytes, WORD_BYTES);
    }
}

static void set_affine(const former *self)
{
    uint64_t one = 0;
    bool is_half = tacho_dtype_bytes(self->work->output.dtype, 1, &one) && one <= 2;
    uint64_t plane = plane_of(tacho_graph_output(self->graph, self->root, 0));
    set_lines(self, is_half ? TACHO_FORM_AFFINE_HALF : TACHO_FORM_AFFINE, plane);
}

void tacho_gpu_form_set(const tacho_fusion *fusion, const tacho_fused_op *op, uint64_t inferences,
                        tacho_work *work)
{
    static void (*const setters[TACHO_OP_KIND_COUNT])(const former *) = {
        [TACHO_OP_MATMUL] = set_product,          [TACHO_OP_RECURRENT] = set_product,
        [TACHO_OP_CONVOLUTION] = set_convolution, [TACHO_OP_DECONVOLUTION] = set_convolution,
        [TACHO_OP_SOFTMAX] = set_softmax,         [TACHO_OP_NORMALISATION] = set_norm,
        [TACHO_OP_REDUCTION] = set_reduction,     [TACHO_OP_POOL] = set_pool,
        [TACHO_OP_AFFINE] = set_affine,           [TACHO_OP_MOVE] = set_move,
    };
    former self = {
        fusion, fusion->graph, op, &fusion->graph->nodes[op->root], inferences > 0 ? inferences : 1,
        work};
    work->kernel.is_alone = fusion->op_count == 1;
    if (setters[op->kind] != NULL) {
        setters[op->kind](&self);
    } else {
        set_elements(&self);
    }
}
