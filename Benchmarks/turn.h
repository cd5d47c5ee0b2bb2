// SPDX-License-Identifier: Apache-2.0
// One turn of the floor: a request to the backend, answered as signals.
#pragma once

#include "out.h"

#include <libsoup/soup.h>

// Each sends the question, runs until the turn has ended with Completed or
// Failed, and then releases `out`.
void turn_over_http(SoupSession *http, const char *url, const char *question, Out *out);
void turn_over_websocket(SoupSession *http, const char *url, const char *question, Out *out);
