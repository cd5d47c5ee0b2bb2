// SPDX-License-Identifier: Apache-2.0
// Input from a client, in whole requests or whole messages.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int fd;
    size_t used;
    size_t room;
    char *bytes; // ends with a zero byte
} Input;

// Returns false at the end of the connection.
bool input_read(Input *in);

// Removes the first bytes.
void input_drop(Input *in, size_t count);
