#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// Overwrites each block of memory that is given back. Libraries copy what they send and receive, a header line for one,
// and glibc's own setting for this (M_PERTURB) leaves out the small blocks that it keeps at hand.

// glibc's free, under the name that stays when a program brings its own.
extern void __libc_free(void *block);

void free(void *block) {
  if (block == NULL) return;
  explicit_bzero(block, malloc_usable_size(block));
  __libc_free(block);
}

// glibc's realloc would give the old block back by itself.
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
