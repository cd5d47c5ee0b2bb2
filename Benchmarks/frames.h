// SPDX-License-Identifier: Apache-2.0
// The server's side of RFC 6455, as far as a client like libsoup needs it.
#pragma once

#include "input.h"

#include <stdint.h>

enum { TEXT_FRAME = 1, CLOSE_FRAME = 8, PING_FRAME = 9, PONG_FRAME = 10, LARGEST_FRAME_HEAD = 10 };

// Answers a handshake, whose head starts the input. All functions return false
// when the connection is gone.
bool frames_accept(Input *in);

// Reads messages, answers pings and a close, and returns at a text: it is the
// start of the input, unmasked.
bool frames_read_text(Input *in, size_t *length);

// Writes the head of a server's frame; returns its length.
size_t frames_head(uint8_t *head, int opcode, size_t length);
