// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// Overwrites each heap block when it is freed. Libraries copy the data that they send and receive, such as header
// fields. glibc's own setting for this (M_PERTURB) skips the small blocks in its caches.

// glibc's own free, which is still available when a program replaces free.
extern void __libc_free(void *block);

void free(void *block) {
  if (block == NULL) return;
  explicit_bzero(block, malloc_usable_size(block));
  __libc_free(block);
}

// glibc's realloc would free the old block without wiping it.
void *realloc(void *block, size_t size) {
  if (block == NULL) return malloc(size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  size_t room = malloc_usable_size(block);
  if (size <= room && size >= room / 2) return block;
  void *moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, size < room ? size : room);
  free(block);
  return moved;
}
