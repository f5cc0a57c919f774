/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts cells of the tree to rows: one per node for layers, else one per name.
 */
#include "questions/groups/groups.h"

#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool tacho_group_key_parse(tacho_str text, tacho_group_key *out_key, unsigned *out_depth)
{
    static const tacho_str words[] = {
#define TACHO_GROUP_KEY_WORD(id, word, none, title) TACHO_STR_INIT(word),
        TACHO_GROUP_KEYS(TACHO_GROUP_KEY_WORD)
#undef TACHO_GROUP_KEY_WORD
    };
    size_t len = tacho_str_find_byte(text, ':');
    uint64_t depth = 0;
    if (len < text.len && (!tacho_str_parse_u64(tacho_str_from(text, len + 1), &depth) ||
                           depth == 0 || depth > TACHO_GROUP_DEPTH_MAX)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (tacho_str_equal(tacho_str_make(text.data, len), words[i])) {
            *out_key = (tacho_group_key)i;
            *out_depth = (unsigned)depth;
            return depth == 0 || *out_key == TACHO_GROUP_BY_LAYER;
        }
    }
    return false;
}

bool tacho_groups_order_find(tacho_str name, tacho_groups_order *out_order)
{
    static const tacho_str words[] = {
#define TACHO_GROUPS_ORDER_WORD(id, word) TACHO_STR_INIT(word),
        TACHO_GROUPS_ORDERS(TACHO_GROUPS_ORDER_WORD)
#undef TACHO_GROUPS_ORDER_WORD
    };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (tacho_str_equal(name, words[i])) {
            *out_order = (tacho_groups_order)i;
            return true;
        }
    }
    return false;
}

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct group_row {
    tacho_group_cell cell;
    tacho_str name;
    tacho_i128 host_ns, device_ns; /* of all rows of its part and origin */
} group_row;

typedef struct group_rows {
    group_row *items;
    size_t item_count;
    tacho_groups_order order;
    tacho_arena arena; /* of the names */
} group_rows;

static const char *name_of_none(tacho_group_key by)
{
    static const char *const names[] = {
#define TACHO_GROUP_KEY_NONE(id, word, none, title) none,
        TACHO_GROUP_KEYS(TACHO_GROUP_KEY_NONE)
#undef TACHO_GROUP_KEY_NONE
    };
    return names[by];
}

/* "encoder/layer.3" */
static tacho_status print_path(const tacho_groups *groups, uint32_t node, tacho_arena *arena,
                               tacho_str *out_text)
{
    const tacho_group_node *nodes = groups->tree.nodes;
    size_t len = 0;
    for (uint32_t at = node; at != 0; at = nodes[at].parent) {
        len += tacho_dict_string(groups->events.dict, nodes[at].name).len + 1;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, len, &memory));
    char *end = (char *)memory + len;
    for (uint32_t at = node; at != 0; at = nodes[at].parent) {
        tacho_str name = tacho_dict_string(groups->events.dict, nodes[at].name);
        *--end = '/';
        end -= name.len;
        if (name.len > 0) {
            memcpy(end, name.data, name.len);
        }
    }
    *out_text = tacho_str_make(memory, len - 1);
    return TACHO_OK;
}

static tacho_status name_row(const tacho_groups *groups, tacho_arena *arena, group_row *row)
{
    uint32_t node = row->cell.node;
    if (node == 0) {
        row->name = tacho_str_from_cstring(name_of_none(groups->options.by));
        return TACHO_OK;
    }
    if (groups->options.by == TACHO_GROUP_BY_LAYER) {
        return print_path(groups, node, arena, &row->name);
    }
    row->name = tacho_dict_string(groups->events.dict, groups->tree.nodes[node].name);
    return TACHO_OK;
}

/* Whether |node| is inside another node of its name, whose total already includes it. */
static bool is_again(const tacho_group_tree *tree, uint32_t node)
{
    uint32_t name = tree->nodes[node].name;
    for (uint32_t at = tree->nodes[node].parent; at != 0; at = tree->nodes[at].parent) {
        if (tree->nodes[at].name == name) {
            return true;
        }
    }
    return false;
}

static void add_time(tacho_group_time *sum, const tacho_group_time *time, bool is_again)
{
    sum->self_ns += time->self_ns;
    sum->total_ns += is_again ? 0 : time->total_ns;
    sum->count += time->count;
}

static bool is_same_part(const group_row *a, const group_row *b)
{
    return a->cell.part == b->cell.part && a->cell.origin == b->cell.origin;
}

static int compare_parts(const group_row *a, const group_row *b)
{
    if (a->cell.part != b->cell.part) {
        return a->cell.part < b->cell.part ? -1 : 1;
    }
    return a->cell.origin != b->cell.origin ? (a->cell.origin < b->cell.origin ? -1 : 1) : 0;
}

static int compare_names(const void *left, const void *right)
{
    const group_row *a = left;
    const group_row *b = right;
    int order = compare_parts(a, b);
    order = order != 0 ? order : (a->cell.node != 0) - (b->cell.node != 0);
    order = order != 0 ? order : tacho_str_compare(a->name, b->name);
    return order != 0 ? order : (a->cell.node > b->cell.node) - (a->cell.node < b->cell.node);
}

/* Whether two rows are one: of the same node, or of the same name if |is_flat|. */
static bool is_same_row(const group_row *a, const group_row *b, bool is_flat)
{
    return is_same_part(a, b) && (a->cell.node == 0) == (b->cell.node == 0) &&
           (is_flat ? tacho_str_equal(a->name, b->name) : a->cell.node == b->cell.node);
}

/* Merges equal rows. */
static void merge_rows(const tacho_group_tree *tree, group_rows *rows, bool is_flat)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->item_count; i++) {
        group_row *row = &rows->items[i];
        group_row *last = kept > 0 ? &rows->items[kept - 1] : NULL;
        bool is_again_row = is_flat && row->cell.node != 0 && is_again(tree, row->cell.node);
        if (last == NULL || !is_same_row(last, row, is_flat)) {
            group_row made = *row;
            made.cell.host.total_ns = is_again_row ? 0 : row->cell.host.total_ns;
            made.cell.device.total_ns = is_again_row ? 0 : row->cell.device.total_ns;
            rows->items[kept++] = made;
        } else {
            add_time(&last->cell.host, &row->cell.host, is_again_row);
            add_time(&last->cell.device, &row->cell.device, is_again_row);
        }
    }
    rows->item_count = kept;
}

/* ---- order --------------------------------------------------------------------------------- */

static int compare_times(tacho_i128 a, tacho_i128 b)
{
    return (a < b) - (a > b);
}

static int compare_self(const group_row *a, const group_row *b)
{
    int order = compare_times(a->cell.device.self_ns, b->cell.device.self_ns);
    return order != 0 ? order : compare_times(a->cell.host.self_ns, b->cell.host.self_ns);
}

static int compare_self_rows(const void *left, const void *right)
{
    int order = compare_parts(left, right);
    order = order != 0 ? order : compare_self(left, right);
    return order != 0 ? order : compare_names(left, right);
}

static int compare_total_rows(const void *left, const void *right)
{
    const group_row *a = left;
    const group_row *b = right;
    int order = compare_parts(a, b);
    order = order != 0 ? order : compare_times(a->cell.device.total_ns, b->cell.device.total_ns);
    order = order != 0 ? order : compare_times(a->cell.host.total_ns, b->cell.host.total_ns);
    return order != 0 ? order : compare_names(left, right);
}

static int compare_count_rows(const void *left, const void *right)
{
    const group_row *a = left;
    const group_row *b = right;
    int order = compare_parts(a, b);
    order =
        order != 0 ? order : compare_times((tacho_i128)a->cell.device.count, b->cell.device.count);
    order = order != 0 ? order : compare_times((tacho_i128)a->cell.host.count, b->cell.host.count);
    return order != 0 ? order : compare_names(left, right);
}

static void sort_rows(group_rows *rows, tacho_groups_order order)
{
    static int (*const orders[])(const void *, const void *) = {
        [TACHO_GROUPS_BY_SELF] = compare_self_rows,
        [TACHO_GROUPS_BY_TOTAL] = compare_total_rows,
        [TACHO_GROUPS_BY_COUNT] = compare_count_rows,
        [TACHO_GROUPS_BY_NAME] = compare_names,
    };
    if (rows->item_count > 0) {
        qsort(rows->items, rows->item_count, sizeof(*rows->items), orders[order]);
    }
}

/* ---- choice of rows ------------------------------------------------------------------------ */

static bool has_anything(const tacho_group_cell *cell)
{
    return cell->host.self_ns != 0 || cell->host.total_ns != 0 || cell->host.count != 0 ||
           cell->device.self_ns != 0 || cell->device.total_ns != 0 || cell->device.count != 0;
}

static tacho_status list_cells(const tacho_groups *groups, group_rows *rows)
{
    const tacho_group_tree *tree = &groups->tree;
    TACHO_TRY(tacho_items_make(&rows->items, tree->cell_count));
    for (size_t i = 0; i < tree->cell_count; i++) {
        const tacho_group_cell *cell = &tree->cells[i];
        bool is_shown_as_whole = cell->is_piece && groups->parts[cell->part].has_wholes;
        if (!is_shown_as_whole && has_anything(cell)) {
            group_row *row = &rows->items[rows->item_count];
            *row = (group_row){.cell = *cell};
            TACHO_TRY(name_row(groups, &rows->arena, row));
            rows->item_count++;
        }
    }
    return TACHO_OK;
}

/* The time of all rows of a part and origin, for shares. */
static void share_out(group_rows *rows)
{
    size_t end = 0;
    for (size_t first = 0; first < rows->item_count; first = end) {
        tacho_i128 host_ns = 0;
        tacho_i128 device_ns = 0;
        for (end = first;
             end < rows->item_count && is_same_part(&rows->items[first], &rows->items[end]);
             end++) {
            host_ns += rows->items[end].cell.host.self_ns;
            device_ns += rows->items[end].cell.device.self_ns;
        }
        for (size_t i = first; i < end; i++) {
            rows->items[i].host_ns = host_ns;
            rows->items[i].device_ns = device_ns;
        }
    }
}

/* Keeps the rows that the filter accepts, and only the top ones of each part and origin. */
static size_t choose_rows(const tacho_groups_options *options, group_rows *rows)
{
    size_t kept = 0;
    size_t left_out = 0;
    size_t of_part = 0;
    for (size_t i = 0; i < rows->item_count; i++) {
        group_row row = rows->items[i];
        const tacho_name_filter *filter = &options->filter;
        bool is_wanted =
            filter->accepts == NULL || filter->accepts(filter->self, row.name, TACHO_STR(""));
        of_part = kept > 0 && is_same_part(&rows->items[kept - 1], &row) ? of_part : 0;
        bool is_beyond = options->top > 0 && of_part >= options->top;
        left_out += is_wanted && is_beyond ? 1 : 0;
        if (is_wanted && !is_beyond) {
            rows->items[kept++] = row;
            of_part++;
        }
    }
    rows->item_count = kept;
    return left_out;
}

static tacho_status make_rows(tacho_groups *groups, group_rows *rows)
{
    if (!groups->is_ready) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_group_tree_sum(&groups->tree));
    TACHO_TRY(list_cells(groups, rows));
    sort_rows(rows, TACHO_GROUPS_BY_NAME);
    merge_rows(&groups->tree, rows, groups->options.by != TACHO_GROUP_BY_LAYER);
    share_out(rows);
    sort_rows(rows, groups->options.order);
    size_t left_out = choose_rows(&groups->options, rows);
    TACHO_TRY(tacho_name_filter_check(&groups->options.filter));
    if (left_out > 0) {
        tacho_note_hint(groups->options.notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more row%s", left_out, left_out == 1 ? "" : "s");
    }
    return TACHO_OK;
}

/* ---- the table ----------------------------------------------------------------------------- */

static int64_t to_ns(tacho_i128 ns)
{
    return ns > INT64_MAX ? INT64_MAX : (ns < INT64_MIN ? INT64_MIN : (int64_t)ns);
}

/* Total, self, share and count of one side; absent if the part lacks that side. */
static tacho_status add_side(const tacho_group_time *time, tacho_i128 all_ns, bool has_total,
                             bool has_count, tacho_table *table)
{
    bool is_there = all_ns != 0 || time->count != 0;
    TACHO_TRY(is_there && has_total ? tacho_table_add_int(table, to_ns(time->total_ns))
                                    : tacho_table_add_absent(table));
    TACHO_TRY(is_there ? tacho_table_add_int(table, to_ns(time->self_ns))
                       : tacho_table_add_absent(table));
    TACHO_TRY(all_ns > 0 ? tacho_table_add_real(table, (double)time->self_ns / (double)all_ns * 100)
                         : tacho_table_add_absent(table));
    return is_there && has_count ? tacho_table_add_int(table, (int64_t)time->count)
                                 : tacho_table_add_absent(table);
}

static tacho_status add_row(const tacho_groups *groups, const group_row *row, tacho_table *table)
{
    const tacho_dict *dict = groups->events.dict;
    tacho_group_key by = groups->options.by;
    const char *origin = tacho_origin_name((tacho_origin)row->cell.origin);
    bool is_tree = by == TACHO_GROUP_BY_LAYER || by == TACHO_GROUP_BY_OP;
    TACHO_TRY(
        tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[row->cell.part].name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(origin)));
    TACHO_TRY(tacho_table_add_text(table, row->name));
    TACHO_TRY(by == TACHO_GROUP_BY_LAYER
                  ? tacho_table_add_int(table, groups->tree.nodes[row->cell.node].depth)
                  : tacho_table_add_absent(table));
    TACHO_TRY(add_side(&row->cell.device, row->device_ns, is_tree, true, table));
    return add_side(&row->cell.host, row->host_ns, is_tree,
                    row->cell.node != 0 && by != TACHO_GROUP_BY_KERNEL, table);
}

#define GROUP_COLUMNS(ID, title)                                                                   \
    {                                                                                              \
        TACHO_COLUMN(FILE, "file", TEXT), TACHO_COLUMN(ORIGIN, "origin", TEXT),                    \
            TACHO_COLUMN(ID, title, TEXT), TACHO_COLUMN(DEPTH, "depth", INT),                      \
            TACHO_COLUMN(DEVICE_TOTAL_NS, "device total", DURATION),                               \
            TACHO_COLUMN(DEVICE_SELF_NS, "device self", DURATION),                                 \
            TACHO_COLUMN(DEVICE_PERCENT, "of device", PERCENT),                                    \
            TACHO_COLUMN(WORK_COUNT, "pieces", INT),                                               \
            TACHO_COLUMN(HOST_TOTAL_NS, "host total", DURATION),                                   \
            TACHO_COLUMN(HOST_SELF_NS, "host self", DURATION),                                     \
            TACHO_COLUMN(HOST_PERCENT, "of host", PERCENT), TACHO_COLUMN(COUNT, "count", INT),     \
    }

enum { GROUP_COLUMN_COUNT = 12 };

static void init_table(const tacho_groups *groups, tacho_table *out_table)
{
    static const tacho_column columns[TACHO_GROUP_KEY_COUNT][GROUP_COLUMN_COUNT] = {
        [TACHO_GROUP_BY_OP] = GROUP_COLUMNS(OPERATOR, "operator"),
        [TACHO_GROUP_BY_KERNEL] = GROUP_COLUMNS(KERNEL, "kernel"),
        [TACHO_GROUP_BY_LAYER] = GROUP_COLUMNS(LAYER, "layer"),
        [TACHO_GROUP_BY_LINE] = GROUP_COLUMNS(LINE, "line"),
        [TACHO_GROUP_BY_DEVICE] = GROUP_COLUMNS(DEVICE, "device"),
        [TACHO_GROUP_BY_STEP] = GROUP_COLUMNS(STEP, "step"),
    };
    static const char *const titles[] = {
#define TACHO_GROUP_KEY_TITLE(id, word, none, title) title,
        TACHO_GROUP_KEYS(TACHO_GROUP_KEY_TITLE)
#undef TACHO_GROUP_KEY_TITLE
    };
    static const tacho_column_id kept[] = {
        TACHO_COL_LAYER,          TACHO_COL_LINE,         TACHO_COL_OPERATOR,
        TACHO_COL_KERNEL,         TACHO_COL_STEP,         TACHO_COL_DEVICE,
        TACHO_COL_DEVICE_PERCENT, TACHO_COL_HOST_PERCENT, TACHO_COL_DEVICE_SELF_NS,
        TACHO_COL_HOST_SELF_NS,   TACHO_COL_FILE,         TACHO_COL_DEVICE_TOTAL_NS,
        TACHO_COL_HOST_TOTAL_NS,  TACHO_COL_OTHER};
    tacho_group_key by = groups->options.by;
    tacho_table_init(out_table, "groups", titles[by], columns[by], GROUP_COLUMN_COUNT);
    out_table->kept = kept;
}

tacho_status tacho_groups_table(tacho_groups *groups, tacho_table *out_table)
{
    group_rows rows = {.items = NULL};
    init_table(groups, out_table);
    tacho_arena_init(&rows.arena);
    tacho_status status = make_rows(groups, &rows);
    for (size_t i = 0; i < rows.item_count && status == TACHO_OK; i++) {
        status = add_row(groups, &rows.items[i], out_table);
    }
    free(rows.items);
    tacho_arena_deinit(&rows.arena);
    return status;
}
