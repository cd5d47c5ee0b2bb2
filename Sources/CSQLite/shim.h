// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sqlite3.h>

// Plain functions for variadic functions and for constants that are casts, neither of which Swift can import.

static inline int chappie_sqlite_configure(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// SQLite keeps a copy of the bytes.
static inline int chappie_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, place, count > 0 ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int chappie_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, place, count > 0 ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
