// SPDX-License-Identifier: Apache-2.0
// Checks and counts the received deltas. Used by one thread at a time.

#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    guint deltas;
    guint64 offset;
    gboolean completed;
    GString *unread; // a stamp may be cut in two by a signal's end
} Turn;

static GHashTable *turns; // of this round, by id
static guint turns_expected, turns_running, deltas_per_turn;
static guint64 *ages;
static gsize deltas, room, signals;
static guint64 first_arrived, last_arrived;

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fprintf(stderr, "client: %s\n", message);
    _Exit(1);
}

static void turn_free(gpointer data) {
    Turn *turn = data;
    g_string_free(turn->unread, TRUE);
    g_free(turn);
}

void record_init(gsize count) {
    room = count;
    ages = g_new(guint64, count);
    turns = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, turn_free);
}

void record_begin_round(guint turn_count, guint delta_count) {
    g_hash_table_remove_all(turns);
    turns_expected = turns_running = turn_count;
    deltas_per_turn = delta_count;
}

// A turn is known from its first signal on, which may come before Stream's reply.
static Turn *find_turn(const char *id) {
    Turn *turn = g_hash_table_lookup(turns, id);
    if (!turn) {
        if (g_hash_table_size(turns) == turns_expected)
            die("turn %s: not one of the %u that run", id, turns_expected);
        turn = g_new0(Turn, 1);
        turn->unread = g_string_new(NULL);
        g_hash_table_insert(turns, g_strdup(id), turn);
    }
    if (turn->completed)
        die("turn %s: a signal after Completed", id);
    return turn;
}

static void record_delta(Turn *turn, const char *id, guint64 number, guint64 age) {
    if (number != turn->deltas)
        die("turn %s: delta %" G_GUINT64_FORMAT " arrived instead of %u", id, number, turn->deltas);
    if (deltas == room)
        die("turn %s: more deltas than asked for", id);
    turn->deltas++;
    ages[deltas++] = age;
}

static void read_stamps(Turn *turn, const char *id, guint64 arrived) {
    const char *at = turn->unread->str;
    for (const char *stamp; (stamp = strchr(at, '@')) && strchr(stamp, ';');) {
        char *end;
        guint64 number = g_ascii_strtoull(stamp + 1, &end, 10);
        if (*end != ':')
            die("turn %s: damaged text: %.40s", id, stamp);
        guint64 sent = g_ascii_strtoull(end + 1, &end, 10);
        if (*end != ';')
            die("turn %s: damaged text: %.40s", id, stamp);
        record_delta(turn, id, number, arrived - sent);
        at = end + 1;
    }
    g_string_erase(turn->unread, 0, at - turn->unread->str);
}

void record_text(const char *id, guint64 offset, const char *text, guint64 arrived) {
    Turn *turn = find_turn(id);
    if (offset != turn->offset)
        die("turn %s: offset %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT, id, offset,
            turn->offset);
    signals++;
    first_arrived = first_arrived ? first_arrived : arrived;
    last_arrived = arrived;
    turn->offset += strlen(text);
    g_string_append(turn->unread, text);
    read_stamps(turn, id, arrived);
}

gboolean record_completed(const char *id) {
    Turn *turn = find_turn(id);
    if (turn->deltas != deltas_per_turn)
        die("turn %s: %u of %u deltas", id, turn->deltas, deltas_per_turn);
    turn->completed = TRUE;
    return --turns_running == 0;
}

static int compare(const void *a, const void *b) {
    guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
    return (x > y) - (x < y);
}

// The smallest age that this share of the deltas does not exceed, in
// microseconds.
static double percentile(double share) {
    gsize rank = (gsize)(share * (double)deltas + 0.999999);
    return (double)ages[rank > 0 ? rank - 1 : 0] / 1000.0;
}

void record_print(guint64 asked, double cpu_seconds) {
    double seconds = (double)(last_arrived - first_arrived) / 1e9;
    qsort(ages, deltas, sizeof *ages, compare);
    printf("{\"deltas\": %zu, \"signals\": %zu, \"seconds\": %.6f, \"deltas_per_second\": %.1f, "
           "\"median_us\": %.1f, \"p99_us\": %.1f, \"first_ms\": %.3f",
           deltas, signals, seconds, seconds > 0 ? (double)deltas / seconds : 0, percentile(0.5),
           percentile(0.99), (double)(first_arrived - asked) / 1e6);
    if (cpu_seconds >= 0)
        printf(", \"cpu_seconds\": %.6f", cpu_seconds);
    printf("}\n");
}
