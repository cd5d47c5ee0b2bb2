// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "frames.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static bool send_all(int fd, const void *bytes, size_t length) {
    return send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

bool frames_accept(Input *in) {
    static const char name[] = "\r\nsec-websocket-key:";
    char key[64] = "", answer[256];
    const char *field = strcasestr(in->bytes, name);
    if (!field || sscanf(field + strlen(name), " %63s", key) != 1)
        return false;
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA1);
    guint8 digest[20];
    gsize length = sizeof digest;
    g_checksum_update(checksum, (const guchar *)key, -1);
    g_checksum_update(checksum, (const guchar *)"258EAFA5-E914-47DA-95CA-C5AB0DC85B11", -1);
    g_checksum_get_digest(checksum, digest, &length);
    g_autofree char *accept = g_base64_encode(digest, length);
    int count = snprintf(answer, sizeof answer,
                         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                         "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                         accept);
    return send_all(in->fd, answer, (size_t)count);
}

size_t frames_head(uint8_t *head, int opcode, size_t length) {
    head[0] = (uint8_t)(0x80 | opcode);
    if (length < 126) {
        head[1] = (uint8_t)length;
        return 2;
    }
    size_t bytes = length < 65536 ? 2 : 8;
    head[1] = bytes == 2 ? 126 : 127;
    for (size_t i = 0; i < bytes; i++)
        head[2 + i] = (uint8_t)(length >> 8 * (bytes - 1 - i));
    return 2 + bytes;
}

static bool need(Input *in, size_t count) {
    while (in->used < count)
        if (!input_read(in))
            return false;
    return true;
}

// Reads a client's frame to the start of the input, without its head and its
// mask.
static bool read_frame(Input *in, int *opcode, size_t *length) {
    if (!need(in, 2))
        return false;
    size_t size = (uint8_t)in->bytes[1] & 0x7F, wide = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!need(in, 2 + wide + 4))
        return false;
    if (wide > 0)
        size = 0;
    for (size_t i = 0; i < wide; i++)
        size = size << 8 | (uint8_t)in->bytes[2 + i];
    if (!need(in, 2 + wide + 4 + size))
        return false;
    char mask[4];
    memcpy(mask, in->bytes + 2 + wide, 4);
    *opcode = in->bytes[0] & 0xF;
    *length = size;
    input_drop(in, 2 + wide + 4);
    for (size_t i = 0; i < size; i++)
        in->bytes[i] ^= mask[i % 4];
    return true;
}

// Sends the content back as another kind of frame.
static bool echo(Input *in, int opcode, size_t length) {
    uint8_t head[LARGEST_FRAME_HEAD];
    size_t count = frames_head(head, opcode, length);
    return send_all(in->fd, head, count) && send_all(in->fd, in->bytes, length);
}

bool frames_read_text(Input *in, size_t *length) {
    int opcode;
    while (read_frame(in, &opcode, length)) {
        if (opcode == TEXT_FRAME)
            return true;
        if (opcode == CLOSE_FRAME) {
            echo(in, CLOSE_FRAME, *length);
            return false;
        }
        if (opcode == PING_FRAME && !echo(in, PONG_FRAME, *length))
            return false;
        input_drop(in, *length);
    }
    return false;
}
