/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions are allowed by name: additions in other builds of SQLite are refused until they have
 * been reviewed. fts3_tokenizer, for one, returns addresses of the process and takes some.
 */
#include "sql/authorizer.h"

#include <stddef.h>

/* No value is longer than this, in any statement. */
enum { VALUE_BYTES_MAX = 64 << 20 };

/*
 * Functions of SQLite without effects, and our own. Those whose time is the product of two lengths
 * are in sql/text_functions.c instead, or missing: json_patch, unhex.
 */
static const char *const allowed_functions[] = {
    /* numbers */
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos",
    "cosh", "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power",
    "radians", "random", "round", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    /* texts and bytes */
    "char", "concat", "concat_ws", "format", "glob", "hex", "instr", "length", "like", "lower",
    "ltrim", "octet_length", "printf", "quote", "randomblob", "replace", "rtrim", "soundex",
    "substr", "substring", "trim", "unicode", "upper", "zeroblob",
    /* any value */
    "coalesce", "ifnull", "iif", "likelihood", "likely", "max", "min", "nullif", "sqlite_version",
    "subtype", "typeof", "unlikely",
    /* times */
    "current_date", "current_time", "current_timestamp", "date", "datetime", "julianday",
    "strftime", "time", "timediff", "unixepoch",
    /* groups and windows */
    "avg", "count", "cume_dist", "dense_rank", "first_value", "group_concat", "lag", "last_value",
    "lead", "nth_value", "ntile", "only_value", "percent_rank", "percentile", "rank", "row_number",
    "string_agg", "sum", "total",
    /* JSON */
    "->", "->>", "json", "json_array", "json_array_length", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_quote", "json_remove", "json_replace",
    "json_set", "json_type", "json_valid"};

static int check_function(const char *name)
{
    for (size_t i = 0; i < sizeof(allowed_functions) / sizeof(allowed_functions[0]); i++) {
        if (name != NULL && sqlite3_stricmp(name, allowed_functions[i]) == 0) {
            return SQLITE_OK;
        }
    }
    return SQLITE_DENY;
}

static int authorize_reading(void *user, int action, const char *first, const char *second,
                             const char *schema, const char *trigger)
{
    (void)user;
    (void)first;
    (void)schema;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return check_function(second);
    default:
        return SQLITE_DENY;
    }
}

void tacho_sql_restrict(sqlite3 *db)
{
    static const struct {
        int id, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    static const struct {
        int id, is_on;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        sqlite3_limit(db, limits[i].id, limits[i].most);
    }
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        sqlite3_db_config(db, settings[i].id, settings[i].is_on, (int *)NULL);
    }
}

void tacho_sql_allow_reading(sqlite3 *db)
{
    static const struct {
        int id, most;
    } limits[] = {
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},        {SQLITE_LIMIT_EXPR_DEPTH, 1000},
        {SQLITE_LIMIT_COMPOUND_SELECT, 200},       {SQLITE_LIMIT_VDBE_OP, 1 << 20},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        sqlite3_limit(db, limits[i].id, limits[i].most);
    }
    sqlite3_set_authorizer(db, authorize_reading, NULL);
}
