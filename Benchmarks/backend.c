// SPDX-License-Identifier: Apache-2.0
// A stand-in for the model's backend, faster than any program that it serves.
//
// Plain sockets, one thread per connection. A POST to .../responses with "bench
// count=N rate=R size=S" in its body is answered with a stream of N text deltas,
// R per second (0: as fast as possible), each at least S bytes long and stamped
// with its number and its time. Each message on a WebSocket at the same address
// is answered likewise. A compressed body gets 415, and any other request 404.

#define _GNU_SOURCE
#include "answer.h"
#include "frames.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGEST_HEAD = 64 * 1024 };

// Reads one whole request to the start of the buffer; returns the length of its
// head, and of head and body together. 0 at the end of the connection.
static size_t read_request(Input *in, size_t *whole) {
    char *end;
    while (!(end = strstr(in->bytes, "\r\n\r\n")))
        if (in->used > LARGEST_HEAD || !input_read(in))
            return 0;
    size_t head = (size_t)(end - in->bytes) + 4;
    const char *length = strcasestr(in->bytes, "\r\ncontent-length:");
    *whole = head + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
    while (in->used < *whole)
        if (!input_read(in))
            return 0;
    return head;
}

// The last order in the body belongs to the newest message of the conversation.
static Order find_order(const char *body, size_t length) {
    Order order = {.size = 24};
    const char *end = body + length;
    const char *word = "bench count=";
    for (const char *at = body; (at = memmem(at, (size_t)(end - at), word, strlen(word))); at++) {
        order = (Order){.size = 24};
        sscanf(at, "bench count=%ld rate=%ld size=%ld", &order.count, &order.rate, &order.size);
    }
    if (order.size > LARGEST_DELTA)
        order.size = LARGEST_DELTA;
    return order;
}

// Until the client leaves: after a WebSocket there is no next request.
static bool serve_frames(Input *in, size_t handshake) {
    size_t length;
    input_drop(in, handshake);
    while (frames_read_text(in, &length)) {
        Order order = find_order(in->bytes, length);
        if (!answer_turn(in->fd, MESSAGES, &order))
            break;
        input_drop(in, length);
    }
    return false;
}

static bool answer(Input *in, size_t head, size_t whole) {
    char method[8] = "", path[256] = "";
    sscanf(in->bytes, "%7s %255s", method, path);
    const char *name = strrchr(path, '/');
    if (!name || strcmp(name, "/responses") != 0)
        return answer_status(in->fd, "404 Not Found");
    if (strcmp(method, "GET") == 0)
        return frames_accept(in) && serve_frames(in, whole);
    const char *encoding = strcasestr(in->bytes, "\r\ncontent-encoding:");
    if (encoding && encoding < in->bytes + head)
        return answer_status(in->fd, "415 Unsupported Media Type");
    Order order = find_order(in->bytes + head, whole - head);
    return answer_turn(in->fd, EVENT_STREAM, &order);
}

static void *serve(void *argument) {
    Input in = {.fd = (int)(intptr_t)argument, .room = 8192, .bytes = calloc(1, 8192)};
    size_t head, whole;
    prctl(PR_SET_TIMERSLACK, 1);
    while (in.bytes && (head = read_request(&in, &whole)) && answer(&in, head, whole))
        input_drop(&in, whole);
    free(in.bytes);
    close(in.fd);
    return NULL;
}

// MARK: - Listening

static int listen_on_loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 128) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        perror("backend");
        exit(1);
    }
    printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

int main(void) {
    int listener = listen_on_loopback();
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        pthread_t thread;
        if (fd < 0)
            continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
        else
            close(fd);
    }
}
