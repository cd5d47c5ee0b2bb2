// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain functions for C macros that expand to casts and for variadic functions, neither of which Swift can import.

#include <errno.h>
#include <fcntl.h>
#include <gio/gdesktopappinfo.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib-unix.h>
#include <glib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static inline GType chappie_type_int(void) { return G_TYPE_INT; }

// Sets the ALPN protocols of `connection` if it is a TLS connection.
static inline void chappie_offer_protocols(gpointer connection, const char *const *protocols) {
  if (G_IS_TLS_CONNECTION(connection)) g_tls_connection_set_advertised_protocols(G_TLS_CONNECTION(connection), protocols);
}

static inline gboolean chappie_can_poll(gpointer stream) {
  return G_IS_POLLABLE_INPUT_STREAM(stream) && g_pollable_input_stream_can_poll(G_POLLABLE_INPUT_STREAM(stream));
}

// Whether a read of the connection would return at once, with bytes, the end of the stream or an error.
static inline gboolean chappie_is_readable(GIOStream *connection) {
  GInputStream *input = g_io_stream_get_input_stream(connection);
  return chappie_can_poll(input) && g_pollable_input_stream_is_readable(G_POLLABLE_INPUT_STREAM(input));
}

// The descriptor of the socket under a stream, through one layer of TLS; -1 for anything else. Under two layers the
// descriptor says nothing about data that the inner one has decrypted.
static inline int chappie_socket_below(GIOStream *stream) {
  GIOStream *below = g_object_ref(stream);
  int descriptor = -1, layers = 0;
  while (below != NULL) {
    if (G_IS_SOCKET_CONNECTION(below)) {
      descriptor = g_socket_get_fd(g_socket_connection_get_socket(G_SOCKET_CONNECTION(below)));
      break;
    }
    if (G_IS_TLS_CONNECTION(below) && ++layers > 1) break;
    // libsoup's stream and a TLS connection name what they wrap.
    const char *name = G_IS_TLS_CONNECTION(below) ? "base-io-stream" : "base-iostream";
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(below), name) == NULL) break;
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(below), name, &value);
    g_object_unref(below);
    below = g_value_dup_object(&value);
    g_value_unset(&value);
  }
  g_clear_object(&below);
  return descriptor;
}

// The descriptor of a connection's Unix socket; -1 for any other connection.
static inline int chappie_unix_socket(GIOStream *connection) {
  if (!G_IS_SOCKET_CONNECTION(connection)) return -1;
  GSocket *socket = g_socket_connection_get_socket(G_SOCKET_CONNECTION(connection));
  return g_socket_get_family(socket) == G_SOCKET_FAMILY_UNIX ? g_socket_get_fd(socket) : -1;
}

// Sends bytes over a Unix socket without blocking, together with `descriptor` unless it is -1.
static inline ssize_t chappie_send(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } control = {0};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

// Receives bytes from a Unix socket without blocking, and at most `limit` descriptors, up to 16. The kernel drops the
// others without closing them as this process would. `*taken` becomes the number of descriptors.
static inline ssize_t chappie_receive(int socket, void *bytes, size_t count, int *descriptors, int limit, int *taken) {
  struct iovec vector = {.iov_base = bytes, .iov_len = count};
  union {
    char bytes[CMSG_SPACE(16 * sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (limit > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE((limit < 16 ? limit : 16) * sizeof(int));
  }
  ssize_t received;
  do {
    received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  *taken = 0;
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    *taken = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(header), *taken * sizeof(int));
  }
  return received;
}
