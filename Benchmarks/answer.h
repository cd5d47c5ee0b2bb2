// SPDX-License-Identifier: Apache-2.0
// The stand-in backend's answers.
#pragma once

#include <stdbool.h>

enum { LARGEST_DELTA = 4096 };

typedef struct {
    long count; // deltas
    long rate;  // per second; 0: flat out
    long size;  // bytes of a delta's text, at least
} Order;

// The form of events: HTTP chunks or WebSocket messages.
typedef enum { EVENT_STREAM, MESSAGES } Framing;

// Both return false when the connection is gone.
bool answer_turn(int fd, Framing framing, const Order *order);
bool answer_status(int fd, const char *status);
