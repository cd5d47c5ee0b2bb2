// What the client has received: every delta's age, and whether all came in order.
#pragma once

#include <gio/gio.h>

// Prepares for that many deltas in all.
void record_init(gsize deltas);

// Begins a round of turns of that many deltas each.
void record_begin_round(guint turns, guint deltas_per_turn);

// Takes a TextDelta signal that arrived at this time (CLOCK_MONOTONIC, nanoseconds).
void record_text(const char *turn, guint64 offset, const char *text, guint64 arrived);

// Takes a Completed signal; TRUE when it was the last of the round.
gboolean record_completed(const char *turn);

// Prints one line of JSON about all rounds; leaves the processor time out if negative.
void record_print(double cpu_seconds);

// Says what is wrong on standard error and ends the program.
G_NORETURN void die(const char *format, ...) G_GNUC_PRINTF(1, 2);
