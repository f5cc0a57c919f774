/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as the file of a database: SQLite fills a temporary file, which is then copied to the
 * output. Tables are those that queries see; views are stored as tables.
 */
#include "sql/session.h"

#include "base/tempfile.h"
#include "sql/functions.h"
#include "sql/views.h"
#include "sql/vtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 10 };

static int run_text(sqlite3 *db, char *text)
{
    int code = text != NULL ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code;
}

static int copy_table(sqlite3 *db, const tacho_sql_table *table, bool is_empty)
{
    char *columns = tacho_sql_columns_text(table, table->find_next == NULL);
    int code =
        columns == NULL
            ? SQLITE_NOMEM
            : run_text(db, sqlite3_mprintf("CREATE TABLE main.%s(%s)", table->name, columns));
    sqlite3_free(columns);
    return code != SQLITE_OK || is_empty
               ? code
               : run_text(db, sqlite3_mprintf("INSERT INTO main.%s SELECT * FROM temp.%s",
                                              table->name, table->name));
}

static int copy_view(sqlite3 *db, const tacho_sql_view *view)
{
    return run_text(db, sqlite3_mprintf("CREATE TABLE main.%s AS SELECT * FROM temp.%s", view->name,
                                        view->name));
}

/* Everything goes into one transaction without a journal: a file that fails is thrown away. */
static int fill(sqlite3 *db, bool omits_args)
{
    int code = sqlite3_exec(db,
                            "PRAGMA main.journal_mode=OFF; PRAGMA main.synchronous=OFF;"
                            "PRAGMA main.application_id=0x7461636f; PRAGMA main.user_version=1;"
                            "BEGIN",
                            NULL, NULL, NULL);
    for (size_t i = 0; code == SQLITE_OK && tacho_sql_tables[i] != NULL; i++) {
        const tacho_sql_table *table = tacho_sql_tables[i];
        bool is_empty = omits_args && table == &tacho_sql_table_args;
        code = table->is_internal ? SQLITE_OK : copy_table(db, table, is_empty);
    }
    for (size_t i = 0; code == SQLITE_OK && tacho_sql_views[i].name != NULL; i++) {
        code = copy_view(db, &tacho_sql_views[i]);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db,
                            "CREATE INDEX main.args_by_span ON args(span_id);"
                            "CREATE INDEX main.spans_by_name ON spans(name);"
                            "COMMIT",
                            NULL, NULL, NULL);
    }
    return code;
}

static tacho_status copy_file(const tacho_tempfile *file, tacho_output *output)
{
    struct stat facts;
    if (fstat(file->fd, &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "cannot read back a temporary file: %s", strerror(errno));
    }
    unsigned char *buffer = malloc(COPY_BYTES);
    tacho_status status = buffer != NULL ? TACHO_OK : tacho_no_memory();
    uint64_t size = (uint64_t)facts.st_size;
    for (uint64_t at = 0; status == TACHO_OK && at < size; at += COPY_BYTES) {
        size_t len = size - at < COPY_BYTES ? (size_t)(size - at) : COPY_BYTES;
        status = tacho_tempfile_read(file, at, buffer, len);
        if (status == TACHO_OK) {
            tacho_output_write(output, buffer, len);
        }
    }
    free(buffer);
    return status;
}

static tacho_status fill_database(sqlite3 *db, tacho_sql_data *data, bool omits_args)
{
    int code = tacho_sql_functions_add(db);
    if (code != SQLITE_OK) {
        return tacho_sql_failure(db, code);
    }
    TACHO_TRY(tacho_sql_vtabs_make(db, data));
    code = tacho_sql_views_make(db);
    code = code == SQLITE_OK ? fill(db, omits_args) : code;
    return code == SQLITE_OK ? TACHO_OK : tacho_sql_failure(db, code);
}

/* The file loses its name as soon as SQLite has it open, so that it cannot remain after a crash. */
static tacho_status write_through(tacho_sql_data *data, bool omits_args, tacho_output *output)
{
    sqlite3 *db = NULL;
    tacho_tempfile file;
    char name[TACHO_TEMPFILE_NAME_BYTES];
    TACHO_TRY(tacho_tempfile_open_named(&file, name));
    int code = sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    unlink(name);
    tacho_status status = code == SQLITE_OK ? fill_database(db, data, omits_args)
                          : db == NULL      ? tacho_no_memory()
                                            : tacho_sql_failure(db, code);
    sqlite3_close(db);
    if (tacho_status_code(status) == TACHO_CODE_IO) {
        status = tacho_status_add_note(status, "the database is first written to a temporary file; "
                                               "set TMPDIR to a directory with free space");
    }
    if (status == TACHO_OK) {
        status = copy_file(&file, output);
    }
    tacho_tempfile_close(&file);
    return status;
}

tacho_status tacho_sql_write(tacho_profile *profile, bool omits_args, tacho_output *output)
{
    tacho_sql_data data;
    tacho_status status = tacho_sql_data_init(&data, profile);
    if (status == TACHO_OK) {
        status = write_through(&data, omits_args, output);
    }
    tacho_sql_data_deinit(&data);
    return status;
}
