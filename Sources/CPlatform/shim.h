// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declarations of Linux and glibc that Swift's Glibc module lacks: some headers, macros that are not plain constants,
// and variadic functions.

#include <fcntl.h>
#include <libintl.h>
#include <linux/fs.h>
#include <linux/memfd.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// O_PATH: fcntl.h defines it under _GNU_SOURCE only.
static inline int chappie_open_path(void) { return __O_PATH; }

// Overwrites the unused part of this thread's stack. This must be C: Swift does not put large buffers on the stack.
__attribute__((noinline)) static void chappie_wipe_stack(void) {
  char below[256 * 1024];
  explicit_bzero(below, sizeof below);
  // Returns the pages to the system, since most of them were unused before.
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = ((uintptr_t)below + page - 1) & ~(page - 1), end = (uintptr_t)(below + sizeof below) & ~(page - 1);
  madvise((void *)start, end - start, MADV_DONTNEED);
}

// From now on only root can read this process's files in /proc, and no core is dumped.
static inline void chappie_forbid_dumping(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline void chappie_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

// KEYCTL_JOIN_SESSION_KEYRING, for a keyring without a name.
static inline void chappie_leave_session_keyring(void) { syscall(SYS_keyctl, 1, (void *)0, 0, 0, 0); }

// Swift does not take the variable stdin, which any thread could change.
static inline void chappie_forget_end_of_input(void) { clearerr(stdin); }

// By default glibc creates a heap for each thread.
static inline void chappie_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
static inline void chappie_map_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 * 1024); }
static inline void chappie_trim_heap(void) { malloc_trim(0); }

// Sets the flag that makes dump(8) skip a file.
static inline void chappie_set_no_dump(int fd) {
  int flags = 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_NODUMP_FL)) return;
  flags |= FS_NODUMP_FL;
  ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

// Renames a file and fails if the new name exists. The C library declares renameat2 under _GNU_SOURCE only.
static inline int chappie_rename_new(const char *name, const char *new_name) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, new_name, RENAME_NOREPLACE);
}

// A file in memory, and its seal: F_ADD_SEALS with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE. The C library declares all of
// this under _GNU_SOURCE only.
static inline int chappie_memory_file(void) {
  return (int)syscall(SYS_memfd_create, "chappie", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}
static inline int chappie_seal(int fd) { return fcntl(fd, 1033, 0xf); }
