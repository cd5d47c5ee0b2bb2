#pragma once
// Linux and glibc have these, and Swift's module of the C library does not show them: headers that it leaves out,
// macros that are no plain constants, and functions that take a variable number of arguments.

#include <fcntl.h>
#include <linux/fs.h>
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

// O_PATH, which fcntl.h shows to GNU programs alone.
static inline int chappie_open_path(void) { return __O_PATH; }

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
