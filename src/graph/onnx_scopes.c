/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists as Python prints them, namespaces and tracebacks.
 */
#include "graph/onnx_scopes.h"

/* Deeper levels are left out: the path ends at the level around them. */
enum { LEVELS_MAX = 64 };

typedef struct scope_list {
    tacho_str items[LEVELS_MAX];
    size_t item_count; /* all of them; the first LEVELS_MAX are kept */
} scope_list;

void tacho_onnx_metadata_add(tacho_onnx_metadata *metadata, tacho_str key, tacho_str value)
{
    const struct {
        tacho_str key;
        tacho_str *value;
    } known[] = {
        {TACHO_STR_INIT("pkg.torch.onnx.name_scopes"), &metadata->name_scopes},
        {TACHO_STR_INIT("namespace"), &metadata->name_space},
        {TACHO_STR_INIT("pkg.torch.onnx.class_hierarchy"), &metadata->class_hierarchy},
        {TACHO_STR_INIT("pkg.torch.onnx.stack_trace"), &metadata->stack_trace},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tacho_str_equal(key, known[i].key)) {
            *known[i].value = value;
        }
    }
}

/* ---- layers -------------------------------------------------------------------------------- */

static void add_item(scope_list *list, tacho_str item)
{
    if (list->item_count < LEVELS_MAX) {
        list->items[list->item_count] = item;
    }
    list->item_count++;
}

/* "['', 'encoder', 'linear_1']"; escapes stay as they are. */
static scope_list parse_list(tacho_str text)
{
    scope_list list = {.item_count = 0};
    for (size_t i = 0; i < text.len; i++) {
        char quote = text.data[i];
        if (quote != '\'' && quote != '"') {
            continue;
        }
        size_t first = ++i;
        while (i < text.len && text.data[i] != quote) {
            i += text.data[i] == '\\' ? 2 : 1;
        }
        if (i < text.len) {
            add_item(&list, tacho_str_make(text.data + first, i - first));
        }
    }
    return list;
}

/* ": Net/encoder: Encoder/linear_1: aten.linear": the texts ahead of each ": ". */
static scope_list parse_namespace(tacho_str text)
{
    scope_list list = {.item_count = 0};
    while (text.len > 0) {
        size_t len = tacho_str_find_byte(text, '/');
        size_t colon = tacho_str_find_byte(tacho_str_make(text.data, len), ':');
        add_item(&list, tacho_str_make(text.data, colon));
        text = tacho_str_from(text, len < text.len ? len + 1 : len);
    }
    return list;
}

/* The name of |scope| in |around|: "layer.3" of "encoder.layer.3" in "encoder". */
static tacho_str name_in(tacho_str scope, tacho_str around)
{
    bool is_inside = around.len > 0 && scope.len > around.len + 1 &&
                     tacho_str_starts_with(scope, around) && scope.data[around.len] == '.';
    return is_inside ? tacho_str_from(scope, around.len + 1) : scope;
}

/* "BertLayer" of "transformers.models.bert.modeling_bert.BertLayer". */
static tacho_str last_name(tacho_str class)
{
    size_t first = class.len;
    while (first > 0 && class.data[first - 1] != '.') {
        first--;
    }
    return tacho_str_from(class, first);
}

/* All but the last, which is the operator; the model itself is called nothing. */
static tacho_status print_path(const scope_list *list, bool is_of_classes, tacho_arena *arena,
                               tacho_str *out_path)
{
    size_t room = 0;
    size_t count = list->item_count > 0 ? list->item_count - 1 : 0;
    count = count < LEVELS_MAX ? count : LEVELS_MAX;
    for (size_t i = 0; i < count; i++) {
        room += list->items[i].len + 1;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, room + 1, &memory));
    char *end = memory;
    tacho_str around = TACHO_STR("");
    for (size_t i = 0; i < count; i++) {
        tacho_str scope = list->items[i];
        tacho_str name = is_of_classes ? last_name(scope) : name_in(scope, around);
        bool is_again = !is_of_classes && tacho_str_equal(scope, around);
        around = scope.len > 0 ? scope : around;
        if (name.len > 0 && !is_again) {
            end += end > (char *)memory ? 1 : 0;
            memcpy(end, name.data, name.len);
            end[name.len] = '/';
            end += name.len;
        }
    }
    *out_path = tacho_str_make(memory, (size_t)(end - (char *)memory));
    return TACHO_OK;
}

tacho_status tacho_onnx_metadata_layer(const tacho_onnx_metadata *metadata, tacho_arena *arena,
                                       tacho_str *out_layer)
{
    bool is_of_classes = metadata->name_scopes.len == 0 && metadata->name_space.len == 0;
    scope_list list = metadata->name_scopes.len > 0  ? parse_list(metadata->name_scopes)
                      : metadata->name_space.len > 0 ? parse_namespace(metadata->name_space)
                                                     : parse_list(metadata->class_hierarchy);
    return print_path(&list, is_of_classes, arena, out_layer);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* 'File "model.py", line 12, in forward'; false when |line| is not of this form. */
static bool parse_frame(tacho_str line, tacho_str *out_file, uint32_t *out_number)
{
    const tacho_str begin = TACHO_STR("File \"");
    const tacho_str middle = TACHO_STR("\", line ");
    while (line.len > 0 && line.data[0] == ' ') {
        line = tacho_str_from(line, 1);
    }
    if (!tacho_str_starts_with(line, begin)) {
        return false;
    }
    line = tacho_str_from(line, begin.len);
    size_t len = tacho_str_find_byte(line, '"');
    tacho_str rest = tacho_str_from(line, len);
    uint64_t number = 0;
    if (!tacho_str_starts_with(rest, middle)) {
        return false;
    }
    rest = tacho_str_from(rest, middle.len);
    tacho_str digits = tacho_str_make(rest.data, tacho_str_find_byte(rest, ','));
    bool is_frame = len > 0 && tacho_str_parse_u64(digits, &number) && number <= UINT32_MAX;
    *out_file = tacho_str_make(line.data, len);
    *out_number = (uint32_t)number;
    return is_frame;
}

/* "torch/nn/modules/linear.py" of "/usr/lib/python3/site-packages/torch/nn/modules/linear.py". */
static tacho_str strip_packages(tacho_str file)
{
    static const tacho_str folders[] = {TACHO_STR_INIT("site-packages/"),
                                        TACHO_STR_INIT("dist-packages/")};
    for (size_t at = file.len; at > 0; at--) {
        tacho_str rest = tacho_str_from(file, at - 1);
        for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
            if (tacho_str_starts_with(rest, folders[i])) {
                return tacho_str_from(rest, folders[i].len);
            }
        }
    }
    return file;
}

bool tacho_onnx_metadata_line(const tacho_onnx_metadata *metadata, tacho_str *out_file,
                              uint32_t *out_line)
{
    tacho_str text = metadata->stack_trace;
    bool is_found = false;
    bool is_of_user = false;
    while (text.len > 0) {
        size_t len = tacho_str_find_byte(text, '\n');
        tacho_str file;
        uint32_t number = 0;
        if (parse_frame(tacho_str_make(text.data, len), &file, &number)) {
            file = strip_packages(file);
            bool is_users = !tacho_str_starts_with(file, TACHO_STR("torch/"));
            if (is_users || !is_of_user) {
                *out_file = file;
                *out_line = number;
            }
            is_found = true;
            is_of_user = is_of_user || is_users;
        }
        text = tacho_str_from(text, len < text.len ? len + 1 : len);
    }
    return is_found;
}
