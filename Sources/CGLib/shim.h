#pragma once
// Swift cannot see C macros that expand to casts, nor call variadic functions:
// what is needed of either has a plain form here.

#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <glib.h>
#include <sys/pidfd.h>
#include <unistd.h>

static inline GType chappie_type_string(void) { return G_TYPE_STRING; }
static inline GType chappie_type_int(void) { return G_TYPE_INT; }
static inline GType chappie_type_uint(void) { return G_TYPE_UINT; }

// O_PATH, which fcntl.h shows to GNU programs alone.
static inline int chappie_open_path(void) { return __O_PATH; }

static inline gboolean chappie_can_poll(gpointer stream) {
  return G_IS_POLLABLE_INPUT_STREAM(stream) && g_pollable_input_stream_can_poll(G_POLLABLE_INPUT_STREAM(stream));
}

#include <malloc.h>

static inline void chappie_perturb_freed_memory(void) { mallopt(M_PERTURB, 0xA5); }

static inline GType chappie_type_int64(void) { return G_TYPE_INT64; }
static inline GType chappie_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType chappie_type_boolean(void) { return G_TYPE_BOOLEAN; }
