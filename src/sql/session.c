/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a profile to SQL, and running a statement.
 */
#include "sql/session.h"

#include "base/budget.h"
#include "base/process.h"
#include "sql/authorizer.h"
#include "sql/functions.h"
#include "sql/result.h"
#include "sql/views.h"
#include "sql/vtab.h"

#include <string.h>

/* Steps of SQLite's machine: a fraction of a millisecond. */
enum { STEPS_PER_LOOK = 10000, LOOKS_PER_BUDGET = 64 };

/* The tables of json_each and json_tree, which SQLite makes when they are first used. */
static int make_json_tables(sqlite3 *db)
{
    return sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
}

static tacho_status fill_database(tacho_sql *sql)
{
    sqlite3 *db = sql->db;
    tacho_sql_restrict(db);
    int code = tacho_sql_functions_add(db);
    code = code == SQLITE_OK ? tacho_sql_text_functions_add(db, &sql->deadline) : code;
    if (code != SQLITE_OK) {
        return tacho_sql_failure(db, code);
    }
    TACHO_TRY(tacho_sql_vtabs_make(db, &sql->data));
    code = tacho_sql_views_make(db);
    code = code == SQLITE_OK ? make_json_tables(db) : code;
    return code == SQLITE_OK ? TACHO_OK : tacho_sql_failure(db, code);
}

tacho_status tacho_sql_open(tacho_sql *sql, tacho_profile *profile)
{
    sql->db = NULL;
    sql->deadline.until_ns = INT64_MAX;
    TACHO_TRY(tacho_sql_data_init(&sql->data, profile));
    int code = sqlite3_open_v2(":memory:", &sql->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                                   SQLITE_OPEN_NOMUTEX,
                               NULL);
    if (code != SQLITE_OK) {
        return sql->db == NULL ? tacho_no_memory() : tacho_sql_failure(sql->db, code);
    }
    TACHO_TRY(fill_database(sql));
    tacho_sql_allow_reading(sql->db);
    return TACHO_OK;
}

void tacho_sql_close(tacho_sql *sql)
{
    sqlite3_close(sql->db);
    sql->db = NULL;
    tacho_sql_data_deinit(&sql->data);
}

/* ---- statements ------------------------------------------------------------------------------ */

static const char table_names[] =
    "spans, ops, tracks, counters, flows, args, loss, steps, files, metadata";

/* The error in the statement, and its position. */
static tacho_status refuse(tacho_sql *sql, int code)
{
    const char *message = sqlite3_errmsg(sql->db);
    int at = sqlite3_error_offset(sql->db);
    if (code == SQLITE_NOMEM) {
        return tacho_no_memory();
    }
    if (code == SQLITE_AUTH) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the SQL statement does more than read; only SELECT is allowed");
    }
    bool is_table = strncmp(message, "no such table", strlen("no such table")) == 0;
    if (at >= 0) {
        return tacho_fail(TACHO_CODE_USAGE, "SQL, character %d: %s%s%s", at + 1, message,
                          is_table ? "; tables are " : "", is_table ? table_names : "");
    }
    return tacho_fail(TACHO_CODE_USAGE, "SQL: %s%s%s", message, is_table ? "; tables are " : "",
                      is_table ? table_names : "");
}

/* Whether only white space, comments and semicolons follow. */
static bool is_rest_empty(tacho_sql *sql, const char *rest)
{
    while (rest != NULL && *rest != '\0') {
        sqlite3_stmt *next = NULL;
        const char *tail = NULL;
        int code = sqlite3_prepare_v2(sql->db, rest, -1, &next, &tail);
        sqlite3_finalize(next);
        if (code != SQLITE_OK || next != NULL || tail == rest) {
            return false;
        }
        rest = tail;
    }
    return true;
}

static tacho_status prepare(tacho_sql *sql, const char *statement, sqlite3_stmt **out_prepared)
{
    const char *rest = NULL;
    *out_prepared = NULL;
    int code = sqlite3_prepare_v2(sql->db, statement, -1, out_prepared, &rest);
    if (code != SQLITE_OK) {
        return refuse(sql, code);
    }
    if (*out_prepared == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "the SQL statement is empty");
    }
    if (!is_rest_empty(sql, rest)) {
        return tacho_fail(TACHO_CODE_USAGE, "more than one SQL statement; give one SELECT");
    }
    if (sqlite3_column_count(*out_prepared) == 0 || !sqlite3_stmt_readonly(*out_prepared)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the SQL statement gives no rows; only SELECT is allowed");
    }
    if (sqlite3_bind_parameter_count(*out_prepared) > 0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the SQL statement has a parameter (%s); write the value",
                          sqlite3_bind_parameter_name(*out_prepared, 1) != NULL
                              ? sqlite3_bind_parameter_name(*out_prepared, 1)
                              : "?");
    }
    return TACHO_OK;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Limits of a running statement: its time, and the memory that SQLite itself takes. */
typedef struct watch {
    int64_t until_ns; /* INT64_MAX: any time */
    unsigned looks;
    uint64_t used_at_start; /* mostly by the profile */
    tacho_status failure;
} watch;

/* A result may take as much as any input does, and twice the profile. */
static tacho_status check_memory(const watch *self)
{
    TACHO_TRY(tacho_budget_check(0));
    return tacho_budget_check_growth("the SQL statement", self->used_at_start,
                                     2 * self->used_at_start);
}

/* Asked now and then while a statement runs; other than 0 ends it. */
static int has_to_end(void *user)
{
    watch *self = user;
    if (++self->looks % LOOKS_PER_BUDGET == 0 && self->failure == TACHO_OK) {
        self->failure = check_memory(self);
    }
    return self->failure != TACHO_OK ||
           (self->until_ns < INT64_MAX && tacho_process_now_ns() >= self->until_ns);
}

static tacho_status refuse_slow(int64_t timeout_ns)
{
    return tacho_fail(TACHO_CODE_LIMIT,
                      "the SQL statement has not finished after %.6g s; give it more time, or "
                      "select less (a recursive query needs an end)",
                      (double)timeout_ns / 1e9);
}

static tacho_status run_prepared(tacho_sql *sql, const tacho_sql_bounds *bounds,
                                 sqlite3_stmt *prepared, tacho_table *out_table)
{
    int code = SQLITE_OK;
    bool is_timed = bounds->timeout_ns > 0;
    watch watching = {
        .until_ns = is_timed ? tacho_process_now_ns() + bounds->timeout_ns : INT64_MAX,
        .used_at_start = tacho_budget_used(),
    };
    sql->deadline.until_ns = watching.until_ns;
    sqlite3_progress_handler(sql->db, STEPS_PER_LOOK, has_to_end, &watching);
    tacho_status status = tacho_sql_result(prepared, bounds->row_max, out_table, &code);
    sqlite3_progress_handler(sql->db, 0, NULL, NULL);
    status = tacho_status_first(status, watching.failure);
    if (status != TACHO_OK || code == SQLITE_DONE) {
        return status;
    }
    return code == SQLITE_INTERRUPT ? refuse_slow(bounds->timeout_ns) : refuse(sql, code);
}

tacho_status tacho_sql_run(tacho_sql *sql, const char *statement, const tacho_sql_bounds *bounds,
                           tacho_table *out_table)
{
    static const tacho_sql_bounds none = {0};
    sqlite3_stmt *prepared = NULL;
    tacho_status status = prepare(sql, statement, &prepared);
    if (status == TACHO_OK) {
        status = run_prepared(sql, bounds != NULL ? bounds : &none, prepared, out_table);
    }
    sqlite3_finalize(prepared);
    return status;
}

tacho_status tacho_sql_check(const char *statement)
{
    tacho_sql sql;
    tacho_dict dict;
    tacho_profile profile;
    sqlite3_stmt *prepared = NULL;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status = tacho_sql_open(&sql, &profile);
    if (status == TACHO_OK) {
        status = prepare(&sql, statement, &prepared);
    }
    sqlite3_finalize(prepared);
    tacho_sql_close(&sql);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return status;
}
