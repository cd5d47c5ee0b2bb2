// SPDX-License-Identifier: Apache-2.0
// Streams a turn's events at the requested rate.

#define _GNU_SOURCE
#include "answer.h"
#include "frames.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { BATCH = 16 * 1024, LARGEST_EVENT = LARGEST_DELTA + 512 };

typedef struct {
    int fd;
    Framing framing;
    size_t used;
    char bytes[BATCH];
} Output;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns) {
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
    }
}

static bool flush(Output *out) {
    for (size_t done = 0; done < out->used;) {
        ssize_t n = send(out->fd, out->bytes + done, out->used - done, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    out->used = 0;
    return true;
}

static void put(Output *out, const char *bytes, size_t length) {
    memcpy(out->bytes + out->used, bytes, length);
    out->used += length;
}

static void put_text(Output *out, const char *text) {
    put(out, text, strlen(text));
}

// Writes an event as one chunk, like a server that flushes each event.
static void put_chunk(Output *out, const char *type, const char *json, size_t length) {
    size_t size = strlen("event: \ndata: \n\n") + strlen(type) + length;
    out->used += (size_t)snprintf(out->bytes + out->used, 16, "%zx\r\n", size);
    put_text(out, "event: ");
    put_text(out, type);
    put_text(out, "\ndata: ");
    put(out, json, length);
    put_text(out, "\n\n\r\n");
}

// Adds one event.
static bool put_event(Output *out, const char *type, const char *json) {
    size_t length = strlen(json);
    if (out->used + length + 128 > BATCH && !flush(out))
        return false;
    if (out->framing == EVENT_STREAM) {
        put_chunk(out, type, json, length);
    } else {
        out->used += frames_head((uint8_t *)out->bytes + out->used, TEXT_FRAME, length);
        put(out, json, length);
    }
    return true;
}

static bool put_delta(Output *out, long number, long size) {
    char text[LARGEST_DELTA + 1];
    char event[LARGEST_EVENT];
    int stamp = snprintf(text, sizeof text, "@%ld:%llu;", number, (unsigned long long)now_ns());
    if (size > stamp) {
        memset(text + stamp, '.', (size_t)(size - stamp));
        text[size] = '\0';
    }
    snprintf(event, sizeof event,
             "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,"
             "\"content_index\":0,\"delta\":\"%s\",\"sequence_number\":%ld}",
             text, number + 1);
    return put_event(out, "response.output_text.delta", event);
}

// Absolute times, so no drift builds up. Each delta is late by up to half a
// period, always by the same amount for the same delta. Exact intervals would
// synchronise with a service's own timer, and chance would decide the figure.
static uint64_t due(uint64_t start, long number, long rate) {
    uint64_t period = 1000000000u / (uint64_t)rate;
    uint64_t late = (uint64_t)number * 40503u % 1024u * (period / 2) / 1024u;
    return start + (uint64_t)number * 1000000000u / (uint64_t)rate + late;
}

static bool stream_deltas(Output *out, const Order *order) {
    uint64_t start = now_ns();
    for (long i = 0; i < order->count; i++) {
        if (order->rate > 0)
            sleep_until(due(start, i, order->rate));
        if (!put_delta(out, i, order->size))
            return false;
        if (order->rate > 0 && !flush(out))
            return false;
    }
    return true;
}

static bool put_head(Output *out) {
    if (out->framing == EVENT_STREAM)
        put_text(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                      "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
    return put_event(out, "response.created",
                     "{\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\"}}") &&
           flush(out);
}

static bool put_end(Output *out, long count) {
    char completed[512];
    snprintf(completed, sizeof completed,
             "{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"usage\":{"
             "\"input_tokens\":11,\"input_tokens_details\":{\"cached_tokens\":3},"
             "\"output_tokens\":%ld,\"output_tokens_details\":{\"reasoning_tokens\":0},"
             "\"total_tokens\":%ld}}}",
             count, count + 11);
    if (!put_event(out, "response.output_item.done",
                   "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{"
                   "\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\","
                   "\"content\":[{\"type\":\"output_text\",\"text\":\"ok\"}]}}") ||
        !put_event(out, "response.completed", completed))
        return false;
    if (out->framing == EVENT_STREAM)
        put_text(out, "0\r\n\r\n");
    return flush(out);
}

bool answer_turn(int fd, Framing framing, const Order *order) {
    Output out = {.fd = fd, .framing = framing};
    return put_head(&out) && stream_deltas(&out, order) && put_end(&out, order->count);
}

bool answer_status(int fd, const char *status) {
    Output out = {.fd = fd};
    out.used = (size_t)snprintf(out.bytes, BATCH, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status);
    return flush(&out);
}
