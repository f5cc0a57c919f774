/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite opens the file as immutable and read-only. The authorizer permits reading the columns of
 * tables and nothing else. Generated columns are refused, since SQLite runs their functions
 * unasked. A file that is cut off is opened as its own recovery does, which accepts a page count
 * beyond the end; rows up to the first missing page are then read. Numbers of rows must ascend, so
 * a tree whose pages are linked in circles ends.
 */
#include "codec/sqlite_file.h"

#include "base/grow.h"
#include "base/tempfile.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096, SQL_BYTES = 4096, HEADER_BYTES = 100, NAME_BYTES_MAX = 256 };

struct tacho_sqlite_file {
    sqlite3 *db;
    char *name; /* of the input */
    char **tables;
    size_t table_count, table_capacity;
    const char *damage;
    bool is_listed; /* the list of tables is complete */
};

bool tacho_sqlite_is_head(tacho_str head)
{
    static const char magic[] = "SQLite format 3"; /* and its NUL */
    return tacho_str_starts_with(head, tacho_str_make(magic, sizeof(magic)));
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Appends |text| to the URI, escaped; false when it does not fit. */
static bool append_escaped(char *uri, size_t room, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t len = strlen(uri);
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                        (byte >= 'a' && byte <= 'z') || strchr("/._-", *at) != NULL;
        if (len + 4 > room) {
            return false;
        }
        if (is_plain) {
            uri[len++] = *at;
        } else {
            uri[len++] = '%';
            uri[len++] = digits[byte >> 4];
            uri[len++] = digits[byte & 15];
        }
    }
    uri[len] = '\0';
    return true;
}

/* Whether |path| with |suffix| is a file that holds something. */
static bool has_beside(const char *path, const char *suffix)
{
    char beside[PATH_MAX_BYTES];
    struct stat facts;
    int len = snprintf(beside, sizeof(beside), "%s%s", path, suffix);
    return len > 0 && len < (int)sizeof(beside) && stat(beside, &facts) == 0 && facts.st_size > 0;
}

static tacho_status check_beside(const char *path)
{
    const char *suffix = has_beside(path, "-wal")       ? "-wal"
                         : has_beside(path, "-journal") ? "-journal"
                                                        : NULL;
    return suffix == NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED,
                            "%s: changes are in '%s%s', not in the database yet; close the program "
                            "that writes it, or run: sqlite3 '%s' 'PRAGMA journal_mode=DELETE'",
                            path, path, suffix, path);
}

static uint32_t read_be32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* How much of a file there is. */
typedef struct file_extent {
    bool is_cut;            /* it ends before the pages that its header counts */
    uint64_t partial_bytes; /* of the page that is cut in two */
} file_extent;

static file_extent measure(const char *path)
{
    enum {
        PAGE_SIZE_AT = 16,
        CHANGES_AT = 24,
        PAGE_COUNT_AT = 28,
        VALID_FOR_AT = 92,
        SMALLEST = 512
    };
    char head[HEADER_BYTES];
    const unsigned char *bytes = (const unsigned char *)head;
    struct stat facts;
    if (tacho_input_read_head(path, head, sizeof(head)) < sizeof(head) || stat(path, &facts) != 0) {
        return (file_extent){.is_cut = true};
    }
    uint64_t page = (uint64_t)bytes[PAGE_SIZE_AT] << 8 | bytes[PAGE_SIZE_AT + 1];
    page = page == 1 ? 65536 : page < SMALLEST ? SMALLEST : page;
    bool is_counted = read_be32(bytes + CHANGES_AT) == read_be32(bytes + VALID_FOR_AT);
    return (file_extent){
        .is_cut = is_counted && page * read_be32(bytes + PAGE_COUNT_AT) > (uint64_t)facts.st_size,
        .partial_bytes = (uint64_t)facts.st_size % page,
    };
}

/*
 * Columns of tables may be read and listed; nothing else is permitted, and nothing by a view or
 * trigger.
 */
static int authorize(void *user, int action, const char *object, const char *column,
                     const char *schema, const char *through)
{
    (void)user;
    (void)column;
    (void)schema;
    bool is_listing = action == SQLITE_PRAGMA && strcmp(object, "table_xinfo") == 0;
    bool is_reading = action == SQLITE_SELECT || action == SQLITE_READ || is_listing;
    return is_reading && through == NULL ? SQLITE_OK : SQLITE_DENY;
}

static tacho_status configure(sqlite3 *db, bool is_recovery)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                              SQLITE_DBCONFIG_DQS_DML,
                              SQLITE_DBCONFIG_DQS_DDL,
                              SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER};
    bool is_done = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, !is_recovery, NULL) == 0 &&
                   sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, is_recovery, NULL) == 0;
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        is_done = sqlite3_db_config(db, off[i], 0, NULL) == SQLITE_OK && is_done;
    }
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TACHO_SQLITE_VALUE_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    is_done = sqlite3_set_authorizer(db, authorize, NULL) == SQLITE_OK && is_done;
    return is_done ? TACHO_OK
                   : tacho_fail(TACHO_CODE_UNSUPPORTED, "SQLite: cannot be made read-only");
}

static tacho_status open_path(tacho_sqlite_file *file, const char *path)
{
    char uri[PATH_MAX_BYTES * 3] = "file:";
    if (!append_escaped(uri, sizeof(uri) - sizeof("?immutable=1"), path)) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: path too long for SQLite", file->name);
    }
    memcpy(uri + strlen(uri), "?immutable=1", sizeof("?immutable=1"));
    int code = sqlite3_open_v2(uri, &file->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        return tacho_fail(code == SQLITE_NOMEM ? TACHO_CODE_NO_MEMORY : TACHO_CODE_IO,
                          "%s: SQLite: %s", file->name, sqlite3_errstr(code));
    }
    bool is_recovery = measure(path).is_cut;
    file->damage = is_recovery ? "the file is cut off" : NULL;
    return configure(file->db, is_recovery);
}

static tacho_status copy_input(tacho_input *input, tacho_tempfile *copy)
{
    enum { BLOCK_BYTES = 1 << 16 };
    char *block = malloc(BLOCK_BYTES);
    tacho_status status = block == NULL ? tacho_no_memory() : TACHO_OK;
    size_t len = 1;
    while (status == TACHO_OK && len > 0) {
        status = tacho_input_take(input, block, BLOCK_BYTES, &len);
        if (status == TACHO_OK && len > 0) {
            status = tacho_tempfile_append(copy, block, len);
        }
    }
    free(block);
    return status;
}

/* SQLite reads the missing half of a page as zeros, and makes rows of them. */
static tacho_status drop_partial_page(const tacho_tempfile *copy, const char *path)
{
    file_extent extent = measure(path);
    bool is_whole = !extent.is_cut || extent.partial_bytes == 0 ||
                    ftruncate(copy->fd, (off_t)(copy->size_bytes - extent.partial_bytes)) == 0;
    return is_whole ? TACHO_OK : tacho_fail(TACHO_CODE_IO, "cannot shorten a temporary file");
}

/* Opens a copy of the rest of |input|, whose name is gone as soon as SQLite has opened it. */
static tacho_status open_copy(tacho_sqlite_file *file, tacho_input *input)
{
    char path[TACHO_TEMPFILE_NAME_BYTES];
    tacho_tempfile copy;
    TACHO_TRY(tacho_tempfile_open_named(&copy, path));
    tacho_status status = copy_input(input, &copy);
    if (status == TACHO_OK) {
        bool is_cut = measure(path).is_cut;
        status = drop_partial_page(&copy, path);
        status = status == TACHO_OK ? open_path(file, path) : status;
        file->damage = is_cut ? "the file is cut off" : file->damage;
    }
    unlink(path);
    tacho_tempfile_close(&copy);
    if (status == TACHO_OK && tacho_input_damage(input) != NULL) {
        file->damage = tacho_input_damage(input);
    }
    return status;
}

/* Whether SQLite can open the file of |input| by its name, as it is. */
static bool is_plain_file(const tacho_input *input)
{
    struct stat named;
    struct stat opened;
    bool is_file = input->fd >= 0 && input->decoder == NULL && stat(input->name, &named) == 0 &&
                   fstat(input->fd, &opened) == 0 && S_ISREG(opened.st_mode) &&
                   named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
    file_extent extent = is_file ? measure(input->name) : (file_extent){.is_cut = false};
    return is_file && !(extent.is_cut && extent.partial_bytes > 0);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A failure of SQLite: out of memory fails; anything else ends the table and is remembered. */
static tacho_status note_failure(tacho_sqlite_file *file, int code)
{
    if (code == SQLITE_NOMEM) {
        return tacho_no_memory();
    }
    if (file->damage == NULL) {
        file->damage = code == SQLITE_TOOBIG                         ? "a value is too long"
                       : code == SQLITE_AUTH || code == SQLITE_ERROR ? "a table cannot be read"
                                                                     : "the database is damaged";
    }
    return TACHO_OK;
}

/* A statement under construction; |is_full| when it did not fit. */
typedef struct sql_text {
    char text[SQL_BYTES];
    size_t len;
    bool is_full;
} sql_text;

static void append(sql_text *sql, const char *text)
{
    size_t len = strlen(text);
    sql->is_full = sql->is_full || sql->len + len + 1 > sizeof(sql->text);
    if (!sql->is_full) {
        memcpy(sql->text + sql->len, text, len + 1);
        sql->len += len;
    }
}

/* |name| in quotes; names come from the database, too. */
static void append_name(sql_text *sql, tacho_str name)
{
    char byte[3] = "";
    append(sql, "\"");
    for (size_t i = 0; i < name.len; i++) {
        byte[0] = name.data[i];
        byte[1] = name.data[i] == '"' ? '"' : '\0';
        append(sql, byte);
    }
    append(sql, "\"");
}

static tacho_status prepare(tacho_sqlite_file *file, const sql_text *sql,
                            sqlite3_stmt **out_statement)
{
    *out_statement = NULL;
    if (sql->is_full) {
        return note_failure(file, SQLITE_TOOBIG);
    }
    int code = sqlite3_prepare_v2(file->db, sql->text, (int)sql->len, out_statement, NULL);
    if (code != SQLITE_OK && !file->is_listed) {
        /* The first statements read the header and the list of tables. */
        return tacho_fail(code == SQLITE_NOMEM ? TACHO_CODE_NO_MEMORY : TACHO_CODE_BAD_DATA,
                          "%s: a damaged SQLite database: %s", file->name,
                          sqlite3_errmsg(file->db));
    }
    return code != SQLITE_OK ? note_failure(file, code) : TACHO_OK;
}

/* Whether a column of |table| is computed, by functions that the database chooses. */
static tacho_status check_computed(tacho_sqlite_file *file, tacho_str table, bool *out_is_computed)
{
    enum { HIDDEN_AT = 6, COMPUTED = 2, STORED = 3 };
    sql_text sql = {.len = 0};
    sqlite3_stmt *statement = NULL;
    append(&sql, "PRAGMA table_xinfo(");
    append_name(&sql, table);
    append(&sql, ")");
    TACHO_TRY(prepare(file, &sql, &statement));
    *out_is_computed = statement == NULL;
    while (statement != NULL && sqlite3_step(statement) == SQLITE_ROW) {
        int hidden = sqlite3_column_int(statement, HIDDEN_AT);
        *out_is_computed = *out_is_computed || hidden == COMPUTED || hidden == STORED;
    }
    sqlite3_finalize(statement);
    if (*out_is_computed && file->damage == NULL) {
        file->damage = "a table is computed by functions";
    }
    return TACHO_OK;
}

static tacho_status add_table(tacho_sqlite_file *file, tacho_str name)
{
    bool is_computed = false;
    TACHO_TRY(check_computed(file, name, &is_computed));
    if (is_computed) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&file->tables, &file->table_capacity, file->table_count + 1));
    char *copy = strndup(name.data, name.len);
    if (copy == NULL) {
        return tacho_no_memory();
    }
    file->tables[file->table_count++] = copy;
    return TACHO_OK;
}

static tacho_status list_tables(tacho_sqlite_file *file)
{
    static const char *const columns[] = {"type", "name", "rootpage"};
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(file, TACHO_STR("sqlite_schema"), columns, 3, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row && file->table_count < TACHO_SQLITE_TABLES_MAX) {
        tacho_str type;
        tacho_str name;
        bool is_table = tacho_sqlite_text(&scan, 0, &type) && tacho_sqlite_text(&scan, 1, &name) &&
                        tacho_str_equal(type, TACHO_STR("table")) && name.len < NAME_BYTES_MAX &&
                        tacho_str_find_byte(name, '\0') == name.len &&
                        tacho_sqlite_int_or(&scan, 2, 0) > 0;
        status = is_table ? add_table(file, name) : TACHO_OK;
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    file->is_listed = true;
    return status;
}

tacho_status tacho_sqlite_open(tacho_input *input, tacho_sqlite_file **out_file)
{
    tacho_sqlite_file *file = calloc(1, sizeof(*file));
    *out_file = NULL;
    if (file == NULL || (file->name = strdup(input->name)) == NULL) {
        free(file);
        return tacho_no_memory();
    }
    bool is_plain = is_plain_file(input);
    tacho_status status = is_plain ? check_beside(input->name) : TACHO_OK;
    if (status == TACHO_OK) {
        status = is_plain ? open_path(file, input->name) : open_copy(file, input);
    }
    if (status == TACHO_OK) {
        status = list_tables(file);
    }
    if (status != TACHO_OK) {
        tacho_sqlite_close(file);
        return status;
    }
    *out_file = file;
    return TACHO_OK;
}

void tacho_sqlite_close(tacho_sqlite_file *file)
{
    if (file == NULL) {
        return;
    }
    sqlite3_close(file->db);
    for (size_t i = 0; i < file->table_count; i++) {
        free(file->tables[i]);
    }
    free(file->tables);
    free(file->name);
    free(file);
}

const char *tacho_sqlite_damage(const tacho_sqlite_file *file)
{
    return file->damage;
}

size_t tacho_sqlite_table_count(const tacho_sqlite_file *file)
{
    return file->table_count;
}

tacho_str tacho_sqlite_table(const tacho_sqlite_file *file, size_t index)
{
    return tacho_str_from_cstring(file->tables[index]);
}

bool tacho_sqlite_has_table(const tacho_sqlite_file *file, tacho_str name)
{
    for (size_t i = 0; i < file->table_count; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(file->tables[i]))) {
            return true;
        }
    }
    return false;
}

/* ---- scans ---------------------------------------------------------------------------------- */

/* A bit for each of |columns| that is not a column of |table|. */
static tacho_status find_missing(tacho_sqlite_file *file, tacho_str table,
                                 const char *const *columns, size_t column_count,
                                 uint64_t *out_missing)
{
    sql_text sql = {.len = 0};
    sqlite3_stmt *statement = NULL;
    append(&sql, "SELECT * FROM ");
    append_name(&sql, table);
    TACHO_TRY(prepare(file, &sql, &statement));
    *out_missing = ~(~UINT64_C(0) << column_count);
    int found_count = statement != NULL ? sqlite3_column_count(statement) : 0;
    for (int i = 0; i < found_count; i++) {
        const char *name = sqlite3_column_name(statement, i);
        for (size_t k = 0; k < column_count && name != NULL; k++) {
            bool is_it = strcmp(name, columns[k]) == 0;
            *out_missing &= is_it ? ~(UINT64_C(1) << k) : ~UINT64_C(0);
        }
    }
    sqlite3_finalize(statement);
    return TACHO_OK;
}

static tacho_status begin(tacho_sqlite_scan *scan, tacho_str table, const char *const *columns,
                          size_t column_count)
{
    sql_text sql = {.len = 0};
    sqlite3_stmt *statement = NULL;
    TACHO_TRY(find_missing(scan->file, table, columns, column_count, &scan->missing_columns));
    append(&sql, "SELECT rowid");
    for (size_t i = 0; i < column_count; i++) {
        append(&sql, ", ");
        if ((scan->missing_columns >> i & 1) != 0) {
            append(&sql, "NULL");
        } else {
            append_name(&sql, tacho_str_from_cstring(columns[i]));
        }
    }
    append(&sql, " FROM ");
    append_name(&sql, table);
    append(&sql, scan->is_seek ? " WHERE rowid = ?1" : " NOT INDEXED");
    TACHO_TRY(prepare(scan->file, &sql, &statement));
    scan->statement = statement;
    return TACHO_OK;
}

tacho_status tacho_sqlite_begin(tacho_sqlite_file *file, tacho_str table,
                                const char *const *columns, size_t column_count,
                                tacho_sqlite_scan *out_scan)
{
    *out_scan = (tacho_sqlite_scan){.file = file};
    bool is_there =
        tacho_sqlite_has_table(file, table) || tacho_str_equal(table, TACHO_STR("sqlite_schema"));
    return is_there ? begin(out_scan, table, columns, column_count) : TACHO_OK;
}

tacho_status tacho_sqlite_begin_seek(tacho_sqlite_file *file, tacho_str table,
                                     const char *const *columns, size_t column_count,
                                     tacho_sqlite_scan *out_scan)
{
    *out_scan = (tacho_sqlite_scan){.file = file, .is_seek = true};
    return tacho_sqlite_has_table(file, table) ? begin(out_scan, table, columns, column_count)
                                               : TACHO_OK;
}

void tacho_sqlite_end(tacho_sqlite_scan *scan)
{
    sqlite3_finalize(scan->statement);
    *scan = (tacho_sqlite_scan){.file = NULL};
}

tacho_status tacho_sqlite_next(tacho_sqlite_scan *scan)
{
    int code = scan->statement != NULL ? sqlite3_step(scan->statement) : SQLITE_DONE;
    scan->has_row = code == SQLITE_ROW;
    if (scan->has_row) {
        int64_t row_id = sqlite3_column_int64(scan->statement, 0);
        bool is_next = scan->is_seek || scan->row_count == 0 || row_id > scan->row_id;
        scan->row_id = row_id;
        scan->row_count++;
        code = is_next ? SQLITE_DONE : SQLITE_CORRUPT;
        scan->has_row = is_next;
    }
    if (code == SQLITE_DONE) {
        return TACHO_OK;
    }
    sqlite3_finalize(scan->statement);
    scan->statement = NULL;
    return note_failure(scan->file, code);
}

tacho_status tacho_sqlite_seek(tacho_sqlite_scan *scan, int64_t row_id)
{
    scan->has_row = false;
    if (scan->statement == NULL) {
        return TACHO_OK;
    }
    sqlite3_reset(scan->statement);
    if (sqlite3_bind_int64(scan->statement, 1, row_id) != SQLITE_OK) {
        return tacho_no_memory();
    }
    return tacho_sqlite_next(scan);
}

bool tacho_sqlite_int(const tacho_sqlite_scan *scan, size_t column, int64_t *out_value)
{
    int at = (int)column + 1;
    if (sqlite3_column_type(scan->statement, at) != SQLITE_INTEGER) {
        return false;
    }
    *out_value = sqlite3_column_int64(scan->statement, at);
    return true;
}

int64_t tacho_sqlite_int_or(const tacho_sqlite_scan *scan, size_t column, int64_t absent)
{
    int64_t value = absent;
    return tacho_sqlite_int(scan, column, &value) ? value : absent;
}

bool tacho_sqlite_real(const tacho_sqlite_scan *scan, size_t column, double *out_value)
{
    int at = (int)column + 1;
    int type = sqlite3_column_type(scan->statement, at);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        return false;
    }
    *out_value = sqlite3_column_double(scan->statement, at);
    return true;
}

bool tacho_sqlite_text(const tacho_sqlite_scan *scan, size_t column, tacho_str *out_text)
{
    int at = (int)column + 1;
    if (sqlite3_column_type(scan->statement, at) != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(scan->statement, at);
    *out_text = tacho_str_make(text, (size_t)sqlite3_column_bytes(scan->statement, at));
    return text != NULL && out_text->len <= TACHO_SQLITE_TEXT_MAX;
}
