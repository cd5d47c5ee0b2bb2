// A stand-in model backend that is faster than anything it feeds.
//
// Plain sockets, one thread per connection. A POST to .../responses whose body
// says "bench count=N rate=R size=S" is answered with a stream of N text deltas,
// R per second (0: flat out), each at least S bytes long and stamped with its
// number and the time it left. WebSocket upgrades get 426, all else gets 404.

#define _GNU_SOURCE
#include "answer.h"

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

typedef struct {
    int fd;
    size_t used;
    size_t room;
    char *bytes;
} Input;

// MARK: - Reading

static bool read_more(Input *in) {
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

// Reads one whole request to the start of the buffer; gives the length of its
// head, and of head and body together. 0 at the end of the connection.
static size_t read_request(Input *in, size_t *whole) {
    char *end;
    while (!(end = strstr(in->bytes, "\r\n\r\n")))
        if (in->used > LARGEST_HEAD || !read_more(in))
            return 0;
    size_t head = (size_t)(end - in->bytes) + 4;
    const char *length = strcasestr(in->bytes, "\r\ncontent-length:");
    *whole = head + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
    while (in->used < *whole)
        if (!read_more(in))
            return 0;
    return head;
}

static void drop_request(Input *in, size_t whole) {
    in->used -= whole;
    memmove(in->bytes, in->bytes + whole, in->used);
    in->bytes[in->used] = '\0';
}

// The last order in the body is the newest message of the conversation.
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

static bool answer(Input *in, size_t head, size_t whole) {
    char method[8] = "", path[256] = "";
    sscanf(in->bytes, "%7s %255s", method, path);
    const char *name = strrchr(path, '/');
    if (!name || strcmp(name, "/responses") != 0)
        return answer_status(in->fd, "404 Not Found");
    if (strcmp(method, "POST") != 0)
        return answer_status(in->fd, "426 Upgrade Required");
    Order order = find_order(in->bytes + head, whole - head);
    return answer_turn(in->fd, &order);
}

static void *serve(void *argument) {
    Input in = {.fd = (int)(intptr_t)argument, .room = 8192, .bytes = calloc(1, 8192)};
    size_t head, whole;
    prctl(PR_SET_TIMERSLACK, 1);
    while (in.bytes && (head = read_request(&in, &whole)) && answer(&in, head, whole))
        drop_request(&in, whole);
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
