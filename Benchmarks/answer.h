// What the stand-in backend answers with.
#pragma once

#include <stdbool.h>

enum { LARGEST_DELTA = 4096 };

typedef struct {
    long count; // deltas
    long rate;  // per second; 0: flat out
    long size;  // bytes of a delta's text, at least
} Order;

// Both give false when the connection is gone.
bool answer_turn(int fd, const Order *order);
bool answer_status(int fd, const char *status);
