/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source files are loaded when a location first names them; only the starts of their lines are kept
 * beside their bytes.
 */
#include "sources/torq/model_lines.h"

#include "base/grow.h"
#include "codec/mlir_location.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PLACE_PARTS_MAX = 64,   /* files or names of one location that are shown */
    NAMED_BYTES_MAX = 8192, /* limit for operators of names: longer lists are not extended */
    PATH_BYTES_MAX = 4096,
    FILE_COUNT_MAX = 1024,     /* source files */
    TOTAL_BYTES_MAX = 1 << 30, /* of all of them */
    COMPARED_PARTS_MAX = 64,
    MARK_COUNT_MAX = 1 << 28,
};

/* A source file, empty if it was not found. */
typedef struct model_file {
    uint32_t path; /* string */
    char *bytes;
    size_t byte_count;
    size_t *lines; /* the start of each */
    size_t line_count, line_capacity;
} model_file;

typedef struct model_lines {
    tacho_debug_info *info;
    const torq_model_search *search;
    tacho_arena scratch;
    tacho_strings names; /* paths; file i is that of path i */
    tacho_strings own;   /* files of the debug information */
    model_file *files;
    size_t file_count, file_capacity;
    size_t total_bytes;
    char refusal[PATH_BYTES_MAX + 128]; /* for the current file; empty: none */
} model_lines;

/* ---- one line --------------------------------------------------------------------------- */

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == '$' || byte == '-';
}

static tacho_str take_name(tacho_str text)
{
    size_t len = 0;
    while (len < text.len && is_name_byte(text.data[len])) {
        len++;
    }
    return tacho_str_make(text.data, len);
}

/* Skips the results: "%0, %1:2 = ". */
static tacho_str skip_results(tacho_str line)
{
    line = tacho_str_trim(line);
    if (line.len == 0 || line.data[0] != '%') {
        return line;
    }
    size_t equals = tacho_str_find_byte(line, '=');
    return equals < line.len ? tacho_str_trim(tacho_str_from(line, equals + 1)) : TACHO_STR("");
}

/* The text between quotes at the head of |text|; empty without quotes. */
static tacho_str take_quoted(tacho_str text)
{
    if (text.len == 0 || text.data[0] != '"') {
        return TACHO_STR("");
    }
    text = tacho_str_from(text, 1);
    tacho_str name = take_name(text);
    return name.len < text.len && text.data[name.len] == '"' ? name : TACHO_STR("");
}

tacho_str torq_model_line_operator(tacho_str line)
{
    tacho_str op = skip_results(line);
    if (op.len > 0 && op.data[0] == '"') {
        tacho_str name = take_quoted(op);
        return tacho_str_starts_with(name, TACHO_STR("tosa.")) ? name : TACHO_STR("");
    }
    tacho_str name = take_name(op);
    if (tacho_str_equal(name, TACHO_STR("torch.operator"))) {
        return take_quoted(tacho_str_trim(tacho_str_from(op, name.len)));
    }
    bool is_tosa = tacho_str_starts_with(name, TACHO_STR("tosa.")) && name.len > 5;
    return is_tosa ? name : TACHO_STR("");
}

/* ---- files ------------------------------------------------------------------------------ */

static tacho_status index_lines(model_file *file)
{
    size_t at = 0;
    while (at < file->byte_count) {
        TACHO_TRY(tacho_grow(&file->lines, &file->line_capacity, file->line_count + 1));
        file->lines[file->line_count++] = at;
        tacho_str rest = tacho_str_make(file->bytes + at, file->byte_count - at);
        at += tacho_str_find_byte(rest, '\n') + 1;
    }
    return TACHO_OK;
}

/* Reads all of |fd|, which has |size| bytes, or fewer if it shrinks meanwhile. */
static tacho_status load_bytes(int fd, size_t size, const char *path, model_file *file)
{
    file->bytes = malloc(size + 1);
    if (file->bytes == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu bytes for a source file", size);
    }
    while (file->byte_count < size) {
        ssize_t got = read(fd, file->bytes + file->byte_count, size - file->byte_count);
        if (got < 0 && errno != EINTR) {
            return tacho_fail(TACHO_CODE_IO, "%s: cannot read: %s", path, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        file->byte_count += got > 0 ? (size_t)got : 0;
    }
    return index_lines(file);
}

/*
 * Keeps the reason why a file could not be opened, in case no other is found. If the system cannot
 * open any more files, going on would leave columns empty through no fault of the files.
 */
static tacho_status keep_refusal(model_lines *self, const char *path)
{
    int why = errno;
    if (why == ENOENT || why == ENOTDIR) {
        return TACHO_OK;
    }
    if (why == EMFILE || why == ENFILE || why == ENOMEM || why == EIO) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot open: %s", path, strerror(why));
    }
    snprintf(self->refusal, sizeof(self->refusal), "%s: cannot open the source file: %s", path,
             strerror(why));
    return TACHO_OK;
}

/* Reports the result of a search: a file that exists but cannot be read is a problem. */
static tacho_status tell_search(model_lines *self, tacho_str name, bool is_found)
{
    if (self->refusal[0] != '\0') {
        return is_found ? tacho_debug_info_add_note(self->info, "%s", self->refusal)
                        : tacho_debug_info_add_problem(
                              self->info, "%s; its operators are not shown", self->refusal);
    }
    return is_found
               ? TACHO_OK
               : tacho_debug_info_add_note(self->info,
                                           "%.*s: no such source file; its operators are not shown",
                                           TACHO_STR_ARG(name));
}

/* Tries to read |path|; only a regular file of moderate size is read. */
static tacho_status try_path(model_lines *self, const char *path, model_file *file, bool *out_found)
{
    struct stat facts;
    *out_found = false;
    if (stat(path, &facts) != 0) {
        return keep_refusal(self, path);
    }
    if (!S_ISREG(facts.st_mode)) {
        return TACHO_OK; /* devices are never opened */
    }
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return keep_refusal(self, path);
    }
    tacho_status status = TACHO_OK;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
        size_t size = (size_t)facts.st_size;
        if (facts.st_size < 0 || size > TORQ_MODEL_FILE_MAX ||
            size > TOTAL_BYTES_MAX - self->total_bytes) {
            status = tacho_debug_info_add_problem(
                self->info, "%s: the source file is too large; its operators are not shown", path);
        } else {
            self->total_bytes += size;
            status = load_bytes(fd, size, path, file);
        }
        *out_found = true;
    }
    close(fd);
    return status;
}

/* Tries the last component of |path| in |dir|; |is_asked|: the user named |dir|. */
static tacho_status try_dir(model_lines *self, tacho_str dir, bool is_asked, tacho_str path,
                            model_file *file, bool *out_found)
{
    char made[PATH_BYTES_MAX];
    tacho_str base = tacho_str_basename(path);
    *out_found = false;
    if (base.len == 0 || dir.len + base.len + 2 > sizeof(made)) {
        return TACHO_OK;
    }
    snprintf(made, sizeof(made), "%.*s%s%.*s", TACHO_STR_ARG(dir),
             dir.len > 0 && dir.data[dir.len - 1] == '/' ? "" : "/", TACHO_STR_ARG(base));
    TACHO_TRY(try_path(self, made, file, out_found));
    return *out_found && !is_asked
               ? tacho_debug_info_add_note(
                     self->info, "%.*s: no such source file; operators are taken from %s instead",
                     TACHO_STR_ARG(path), made)
               : TACHO_OK;
}

/* The folder that contains |path|. */
static tacho_str folder_of(tacho_str path)
{
    tacho_str base = tacho_str_basename(path);
    size_t len = path.len - base.len;
    return len > 0 ? tacho_str_make(path.data, len) : TACHO_STR(".");
}

static tacho_status find_file(model_lines *self, tacho_str path, model_file *file, bool *out_found)
{
    const torq_model_search *search = self->search;
    for (size_t i = 0; i < search->dir_count; i++) {
        tacho_str dir = tacho_str_from_cstring(search->dirs[i]);
        TACHO_TRY(try_dir(self, dir, true, path, file, out_found));
        if (*out_found) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(try_path(self, path.data, file, out_found));
    if (*out_found || search->debug_path == NULL) {
        return TACHO_OK;
    }
    tacho_str debug_path = tacho_str_from_cstring(search->debug_path);
    TACHO_TRY(try_dir(self, debug_path, false, path, file, out_found));
    return *out_found ? TACHO_OK
                      : try_dir(self, folder_of(debug_path), false, path, file, out_found);
}

/* Whether |path| is a file of the debug information itself. */
static bool is_own(const model_lines *self, tacho_str path)
{
    return tacho_strings_find(&self->own, path) != TACHO_NONE;
}

/* The file |path|, searched for once. */
static tacho_status ensure_file(model_lines *self, tacho_str path, const model_file **out_file)
{
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->names, path, &id));
    TACHO_TRY(tacho_grow(&self->files, &self->file_capacity, self->names.item_count));
    while (self->file_count < self->names.item_count) {
        model_file *file = &self->files[self->file_count];
        *file = (model_file){.path = (uint32_t)self->file_count};
        self->file_count++;
        tacho_str name = tacho_strings_get(&self->names, file->path);
        bool found = false;
        if (self->file_count == FILE_COUNT_MAX) {
            TACHO_TRY(tacho_debug_info_add_problem(
                self->info, "operators of more than %d source files are not shown",
                FILE_COUNT_MAX));
        }
        if (name.len == 0 || tacho_str_find_byte(name, '\0') < name.len ||
            self->file_count >= FILE_COUNT_MAX || is_own(self, name)) {
            continue;
        }
        self->refusal[0] = '\0';
        TACHO_TRY(find_file(self, name, file, &found));
        TACHO_TRY(tell_search(self, name, found));
    }
    *out_file = &self->files[id];
    return TACHO_OK;
}

static tacho_str file_line(const model_file *file, uint32_t line)
{
    if (line == 0 || line > file->line_count) {
        return TACHO_STR("");
    }
    size_t begin = file->lines[line - 1];
    size_t end = line < file->line_count ? file->lines[line] : file->byte_count;
    tacho_str text = tacho_str_make(file->bytes + begin, end - begin);
    text.len = tacho_str_find_byte(text, '\n');
    return text;
}

/* ---- places ----------------------------------------------------------------------------- */

/* A text that grows in the scratch arena. */
typedef struct place_text {
    char *items;
    size_t item_count, item_capacity;
} place_text;

static tacho_status put(place_text *text, tacho_str piece)
{
    TACHO_TRY(tacho_grow(&text->items, &text->item_capacity, text->item_count + piece.len + 1));
    if (piece.len > 0) {
        memcpy(text->items + text->item_count, piece.data, piece.len);
    }
    text->item_count += piece.len;
    return TACHO_OK;
}

/* Whether |word| is among the words of |text|, split by spaces. */
static bool has_word(const place_text *text, tacho_str word)
{
    tacho_str rest = tacho_str_make(text->items, text->item_count);
    while (rest.len > 0) {
        size_t len = tacho_str_find_byte(rest, ' ');
        if (tacho_str_equal(tacho_str_make(rest.data, len), word)) {
            return true;
        }
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
    return false;
}

/* Adds the operator on a file's line, unless present. */
static tacho_status put_operator(model_lines *self, const tacho_mlir_location_node *node,
                                 place_text *text)
{
    const model_file *file = NULL;
    char number[16];
    tacho_str word;
    TACHO_TRY(ensure_file(self, node->text, &file));
    tacho_str name = torq_model_line_operator(file_line(file, node->line));
    if (name.len == 0) {
        return TACHO_OK;
    }
    snprintf(number, sizeof(number), "@L%u", (unsigned)node->line);
    place_text made = {NULL, 0, 0};
    tacho_status status = put(&made, name);
    if (status == TACHO_OK) {
        status = put(&made, tacho_str_from_cstring(number));
    }
    word = tacho_str_make(made.items, made.item_count);
    if (status == TACHO_OK && !has_word(text, word)) {
        if (text->item_count > 0) {
            status = put(text, TACHO_STR(" "));
        }
        status = status == TACHO_OK ? put(text, word) : status;
    }
    free(made.items);
    return status;
}

static tacho_status put_operators(model_lines *self, const tacho_mlir_location *location,
                                  place_text *text)
{
    size_t part_count = 0;
    for (size_t i = 0; i < location->node_count && part_count < PLACE_PARTS_MAX; i++) {
        if (location->nodes[i].kind == TACHO_MLIR_LOCATION_FILE) {
            part_count++;
            TACHO_TRY(put_operator(self, &location->nodes[i], text));
        }
    }
    return TACHO_OK;
}

/* Whether the same name occurs before |index|. */
static bool is_named_before(const tacho_mlir_location *location, size_t index)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    for (size_t i = 0; i < index; i++) {
        if (nodes[i].kind == TACHO_MLIR_LOCATION_NAME &&
            tacho_str_equal(nodes[i].text, nodes[index].text)) {
            return true;
        }
    }
    return false;
}

/*
 * Adds the operators of names, according to the debug information. Like files, the names of a fused
 * location are limited in number.
 */
static tacho_status put_named_operators(model_lines *self, const tacho_mlir_location *location,
                                        place_text *text)
{
    size_t part_count = 0;
    for (size_t i = 0; i < location->node_count && part_count < PLACE_PARTS_MAX; i++) {
        const tacho_mlir_location_node *node = &location->nodes[i];
        if (node->kind != TACHO_MLIR_LOCATION_NAME) {
            continue;
        }
        tacho_str operators = tacho_debug_info_named_operators(self->info, node->text);
        part_count++;
        if (operators.len == 0 || text->item_count + operators.len > NAMED_BYTES_MAX ||
            is_named_before(location, i)) {
            continue;
        }
        TACHO_TRY(put(text, text->item_count > 0 ? TACHO_STR(" ") : TACHO_STR("")));
        TACHO_TRY(put(text, operators));
    }
    return TACHO_OK;
}

/*
 * Adds "enc.layer1/node_add" for the file at |index| of "node_add"("enc.layer1"("net.py":9:0)): a
 * line of a missing file is useless, the names around it are not.
 */
static tacho_status put_names(const tacho_mlir_location *location, size_t index, place_text *text)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    for (size_t i = index; i > 0 && nodes[i - 1].kind == TACHO_MLIR_LOCATION_NAME; i--) {
        if (nodes[i - 1].subtree_end == i) { /* a leaf of its own */
            break;
        }
        TACHO_TRY(put(text, i < index ? TACHO_STR("/") : TACHO_STR("")));
        TACHO_TRY(put(text, nodes[i - 1].text));
    }
    return TACHO_OK;
}

/*
 * Whether names replace the file at |index|: it has names, is a program that made the model rather
 * than the model itself, and cannot be read.
 */
static tacho_status is_named_instead(model_lines *self, const tacho_mlir_location *location,
                                     size_t index, bool *out_is_named)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    const model_file *file = NULL;
    *out_is_named = false;
    if (index == 0 || nodes[index].kind != TACHO_MLIR_LOCATION_FILE ||
        nodes[index - 1].kind != TACHO_MLIR_LOCATION_NAME ||
        nodes[index - 1].subtree_end == index ||
        !tacho_str_ends_with(nodes[index].text, TACHO_STR(".py"))) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_file(self, nodes[index].text, &file));
    *out_is_named = file->line_count == 0;
    return TACHO_OK;
}

static tacho_status put_part(model_lines *self, const tacho_mlir_location *location, size_t index,
                             place_text *text)
{
    const tacho_mlir_location_node *node = &location->nodes[index];
    char number[32];
    tacho_str piece = node->text;
    bool is_named = false;
    TACHO_TRY(is_named_instead(self, location, index, &is_named));
    if (text->item_count > 0) {
        TACHO_TRY(put(text, TACHO_STR("+")));
    }
    if (is_named) {
        return put_names(location, index, text);
    }
    if (node->kind == TACHO_MLIR_LOCATION_FILE) {
        int len = snprintf(number, sizeof(number), "@L%uC%u", (unsigned)node->line,
                           (unsigned)node->column);
        piece = tacho_str_make(number, (size_t)len);
    }
    return put(text, piece);
}

/*
 * "@L7C10": fused parts are joined by '+', a call shows only its callee, and a name is shown only
 * where it names nothing, or a file that does not exist.
 */
static tacho_status put_place(model_lines *self, const tacho_mlir_location *location,
                              place_text *text)
{
    size_t part_count = 0;
    for (size_t i = 0; i < location->node_count; i++) {
        const tacho_mlir_location_node *node = &location->nodes[i];
        bool is_bare_name = node->kind == TACHO_MLIR_LOCATION_NAME && node->subtree_end == i + 1;
        if (node->kind != TACHO_MLIR_LOCATION_FILE && !is_bare_name) {
            continue;
        }
        if (part_count++ == PLACE_PARTS_MAX) {
            return put(text, TACHO_STR("+..."));
        }
        TACHO_TRY(put_part(self, location, i, text));
    }
    return TACHO_OK;
}

/* Drops the callers of calls, so that only callees are left. */
static tacho_status without_callers(model_lines *self, const tacho_mlir_location *location,
                                    tacho_mlir_location *out_location)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->scratch, location->node_count * sizeof(*location->nodes),
                                &memory));
    tacho_mlir_location_node *nodes = memory;
    size_t count = 0;
    bool *is_caller = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->scratch, location->node_count, &memory));
    is_caller = memory;
    for (size_t i = 0; i < location->node_count;) {
        const tacho_mlir_location_node *node = &location->nodes[i];
        if (is_caller[i]) {
            i = node->subtree_end;
            continue;
        }
        if (node->kind == TACHO_MLIR_LOCATION_CALLSITE && i + 1 < location->node_count) {
            size_t caller = location->nodes[i + 1].subtree_end;
            if (caller < node->subtree_end) {
                is_caller[caller] = true;
            }
        }
        nodes[count] = *node;
        /* Only whether it is a leaf matters from here on. */
        nodes[count].subtree_end = (uint32_t)(node->subtree_end == i + 1 ? count + 1 : 0);
        count++;
        i++;
    }
    *out_location = (tacho_mlir_location){nodes, count};
    return TACHO_OK;
}

/* Adds the marks of |location|: the lines of its files, or of its names without any. */
static tacho_status add_marks(model_lines *self, const tacho_mlir_location *location,
                              tacho_place *place)
{
    tacho_debug_info *info = self->info;
    for (size_t i = 0; i < location->node_count; i++) {
        const tacho_mlir_location_node *node = &location->nodes[i];
        bool is_file = node->kind == TACHO_MLIR_LOCATION_FILE && node->line > 0;
        bool is_name = node->kind == TACHO_MLIR_LOCATION_NAME && node->text.len > 0;
        uint32_t string = 0;
        if (place->has_files ? !is_file || is_own(self, node->text) : !is_name) {
            continue;
        }
        tacho_str name = is_file ? tacho_str_basename(node->text) : node->text;
        TACHO_TRY(tacho_dict_ensure_string(info->dict, name, &string));
        TACHO_TRY(tacho_grow(&info->marks, &info->mark_capacity, info->mark_count + 1));
        info->marks[info->mark_count++] = (uint64_t)string << 32 | (is_file ? node->line : 0);
        place->mark_count++;
    }
    return TACHO_OK;
}

/* Marks a place; a location with very many parts is not compared. */
static tacho_status mark_place(model_lines *self, const tacho_mlir_location *all,
                               const tacho_mlir_location *callees, tacho_place *place)
{
    place->first_mark = (uint32_t)self->info->mark_count;
    if (!self->search->is_compared || all->node_count > COMPARED_PARTS_MAX ||
        self->info->mark_count > MARK_COUNT_MAX) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < all->node_count; i++) {
        place->has_files = place->has_files || all->nodes[i].kind == TACHO_MLIR_LOCATION_FILE;
    }
    TACHO_TRY(add_marks(self, callees, place));
    place->callee_mark_count = place->mark_count;
    return add_marks(self, all, place);
}

static tacho_status resolve_location(model_lines *self, uint32_t id, place_text *text)
{
    tacho_dict *dict = self->info->dict;
    tacho_place *place = &self->info->places[id];
    tacho_str raw = tacho_dict_string(dict, dict->locations[id].text);
    tacho_mlir_location parsed;
    tacho_mlir_location callees;
    *place = (tacho_place){0};
    tacho_status status = tacho_mlir_location_parse(raw, NULL, &self->scratch, &parsed);
    if (status != TACHO_OK) {
        TACHO_TRY(tacho_status_forgive_data(status)); /* text in another form is shown as it is */
        return tacho_dict_ensure_string(dict, raw, &place->text);
    }
    text->item_count = 0;
    TACHO_TRY(without_callers(self, &parsed, &callees));
    TACHO_TRY(put_place(self, &callees, text));
    TACHO_TRY(mark_place(self, &parsed, &callees, place));
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text->items, text->item_count),
                                       &place->text));
    text->item_count = 0;
    TACHO_TRY(put_operators(self, &parsed, text));
    if (text->item_count == 0) {
        TACHO_TRY(put_named_operators(self, &parsed, text));
    }
    return tacho_dict_ensure_string(dict, tacho_str_make(text->items, text->item_count),
                                    &place->operators);
}

static tacho_status gather_own(model_lines *self)
{
    const tacho_debug_info *info = self->info;
    TACHO_TRY(tacho_strings_init(&self->own));
    for (size_t i = 0; i < info->dispatch_count; i++) {
        uint32_t id = 0;
        tacho_str file = tacho_dict_string(info->dict, info->dispatches[i].file);
        TACHO_TRY(tacho_strings_ensure(&self->own, file, &id));
    }
    return TACHO_OK;
}

/* Whether all actions of |dispatch| have only lines of its own file as locations. */
static bool lacks_locations(const tacho_debug_info *info, const tacho_dispatch *dispatch)
{
    for (uint32_t i = 0; i < dispatch->action_count; i++) {
        uint32_t location = info->actions[dispatch->first_action + i].location;
        if (location == TACHO_NONE || info->dict->locations[location].file != dispatch->file) {
            return false;
        }
    }
    return dispatch->action_count > 0;
}

/* Adds the note, once. */
static tacho_status note_own_lines(model_lines *self)
{
    tacho_debug_info *info = self->info;
    for (size_t i = 0; i < info->dispatch_count; i++) {
        if (lacks_locations(info, &info->dispatches[i])) {
            return tacho_debug_info_add_note(
                info,
                "%.*s: its operations have no locations (MLIR prints them with "
                "--mlir-print-debuginfo); where the runtime profile has none either, the "
                "places shown are lines of this file",
                TACHO_STR_ARG(tacho_dict_string(info->dict, info->dispatches[i].file)));
        }
    }
    return TACHO_OK;
}

static tacho_status resolve_all(model_lines *self)
{
    tacho_debug_info *info = self->info;
    place_text text = {NULL, 0, 0};
    size_t count = info->dict->location_count;
    tacho_status status = tacho_strings_init(&self->names);
    if (status == TACHO_OK) {
        status = gather_own(self);
    }
    if (status == TACHO_OK) {
        status = note_own_lines(self);
    }
    if (status == TACHO_OK) {
        status = tacho_grow(&info->places, &info->place_capacity, count);
    }
    if (status == TACHO_OK) {
        status = put(&text, TACHO_STR(""));
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = resolve_location(self, (uint32_t)i, &text);
        tacho_arena_reset(&self->scratch);
    }
    info->place_count = status == TACHO_OK ? count : 0;
    free(text.items);
    return status;
}

tacho_status torq_model_lines_resolve(tacho_debug_info *info, const torq_model_search *search)
{
    model_lines self = {.info = info, .search = search};
    tacho_arena_init(&self.scratch);
    tacho_status status = resolve_all(&self);
    for (size_t i = 0; i < self.file_count; i++) {
        free(self.files[i].bytes);
        free(self.files[i].lines);
    }
    free(self.files);
    tacho_strings_deinit(&self.names);
    tacho_strings_deinit(&self.own);
    tacho_arena_deinit(&self.scratch);
    return status;
}
