// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

bool input_read(Input *in) {
    if (in->used + 1 >= in->room) {
        char *grown = realloc(in->bytes, in->room * 2);
        if (!grown)
            return false;
        in->bytes = grown;
        in->room *= 2;
    }
    ssize_t n = recv(in->fd, in->bytes + in->used, in->room - in->used - 1, 0);
    if (n <= 0)
        return false;
    in->used += (size_t)n;
    in->bytes[in->used] = '\0';
    return true;
}

void input_drop(Input *in, size_t count) {
    in->used -= count;
    memmove(in->bytes, in->bytes + count, in->used);
    in->bytes[in->used] = '\0';
}
