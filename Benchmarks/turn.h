// One turn of the floor: a request to the backend, answered as signals.
#pragma once

#include "out.h"

#include <libsoup/soup.h>

// Each sends the question, and runs until the turn has ended with Completed or Failed; then it lets go of `out`.
void turn_over_http(SoupSession *http, const char *url, const char *question, Out *out);
void turn_over_websocket(SoupSession *http, const char *url, const char *question, Out *out);
