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
#include <linux/fs.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static inline GType chappie_type_string(void) { return G_TYPE_STRING; }
static inline GType chappie_type_int(void) { return G_TYPE_INT; }
static inline GType chappie_type_uint(void) { return G_TYPE_UINT; }

// O_PATH, which fcntl.h shows to GNU programs alone.
static inline int chappie_open_path(void) { return __O_PATH; }

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

// Overwrites what functions that have returned left on the stack of this thread. It cannot be written in Swift, where
// large room is never on the stack.
__attribute__((noinline)) static void chappie_wipe_stack(void) {
  char below[256 * 1024];
  explicit_bzero(below, sizeof below);
  // The pages are given back: most of them were not in use before.
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = ((uintptr_t)below + page - 1) & ~(page - 1), end = (uintptr_t)(below + sizeof below) & ~(page - 1);
  madvise((void *)start, end - start, MADV_DONTNEED);
}

// What is in /proc for this process is root's from now on.
static inline void chappie_forbid_dumping(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// glibc has a heap for each thread otherwise.
static inline void chappie_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
static inline void chappie_map_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 * 1024); }
static inline void chappie_trim_heap(void) { malloc_trim(0); }

static inline GType chappie_type_int64(void) { return G_TYPE_INT64; }
static inline GType chappie_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType chappie_type_boolean(void) { return G_TYPE_BOOLEAN; }

// Marks a file for dump(8) to leave out.
static inline void chappie_set_no_dump(int fd) {
  int flags = 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_NODUMP_FL)) return;
  flags |= FS_NODUMP_FL;
  ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

// Gives a file a name that nothing has. Without GNU's extensions the C library does not show its own form.
static inline int chappie_rename_new(const char *name, const char *new_name) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, new_name, RENAME_NOREPLACE);
}

// The socket of a connection, where that is a Unix socket; -1 for any other.
static inline int chappie_unix_socket(GIOStream *connection) {
  if (!G_IS_SOCKET_CONNECTION(connection)) return -1;
  GSocket *socket = g_socket_connection_get_socket(G_SOCKET_CONNECTION(connection));
  return g_socket_get_family(socket) == G_SOCKET_FAMILY_UNIX ? g_socket_get_fd(socket) : -1;
}
