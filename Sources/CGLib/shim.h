#pragma once
// Swift cannot see C macros that expand to casts, nor call variadic functions:
// what is needed of either has a plain form here.

#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib-unix.h>
#include <glib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static inline GType chappie_type_int(void) { return G_TYPE_INT; }

// Sets what a TLS connection offers to speak, when that is what `connection` is.
static inline void chappie_offer_protocols(gpointer connection, const char *const *protocols) {
  if (G_IS_TLS_CONNECTION(connection)) g_tls_connection_set_advertised_protocols(G_TLS_CONNECTION(connection), protocols);
}

static inline gboolean chappie_can_poll(gpointer stream) {
  return G_IS_POLLABLE_INPUT_STREAM(stream) && g_pollable_input_stream_can_poll(G_POLLABLE_INPUT_STREAM(stream));
}

// Whether a read of a connection would return something now: bytes, its end or an error.
static inline gboolean chappie_is_readable(GIOStream *connection) {
  GInputStream *input = g_io_stream_get_input_stream(connection);
  return chappie_can_poll(input) && g_pollable_input_stream_is_readable(G_POLLABLE_INPUT_STREAM(input));
}

// The socket of a connection, where that is a Unix socket; -1 for any other.
static inline int chappie_unix_socket(GIOStream *connection) {
  if (!G_IS_SOCKET_CONNECTION(connection)) return -1;
  GSocket *socket = g_socket_connection_get_socket(G_SOCKET_CONNECTION(connection));
  return g_socket_get_family(socket) == G_SOCKET_FAMILY_UNIX ? g_socket_get_fd(socket) : -1;
}
