// SPDX-License-Identifier: Apache-2.0
// Counts what a program asks of its libraries, for account.py: preload it.
//
// The counters are in a file that account.py maps, named by the process id, in
// the directory ACCOUNT. Only calls between libraries are seen: a library's calls
// to itself may be bound when it is built.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    _Atomic uint64_t allocations, allocated_bytes, copied_bytes, locks;
} Counters;

static Counters nowhere;
static Counters *counters = &nowhere;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static void add(_Atomic uint64_t *counter, uint64_t count) {
    atomic_fetch_add_explicit(counter, count, memory_order_relaxed);
}

static void count_allocation(size_t size) {
    add(&counters->allocations, 1);
    add(&counters->allocated_bytes, size);
}

__attribute__((constructor)) static void open_counters(void) {
    const char *directory = getenv("ACCOUNT");
    char path[512];
    if (!directory)
        return;
    snprintf(path, sizeof path, "%s/%d", directory, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(Counters)) != 0)
        return;
    void *map = mmap(NULL, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED)
        counters = map;
    close(fd);
}

void *malloc(size_t size) {
    count_allocation(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_allocation(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    count_allocation(size);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_allocation(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count_allocation(size);
    return (*block = __libc_memalign(alignment, size)) ? 0 : 12;
}

// Without the compiler's own calls of these functions.
__attribute__((optimize("no-tree-loop-distribute-patterns"))) static void copy(
    unsigned char *to, const unsigned char *from, size_t count) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    add(&counters->copied_bytes, count);
    copy(to, from, count);
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    unsigned char *end = to;
    const unsigned char *last = from;
    add(&counters->copied_bytes, count);
    if (end <= last || end >= last + count)
        copy(to, from, count);
    else
        for (size_t i = count; i > 0; i--)
            end[i - 1] = last[i - 1];
    return to;
}

#define LOCK(name, type, result)                                    \
    result name(type *lock) {                                       \
        static result (*real)(type *);                              \
        if (!real)                                                  \
            real = (result (*)(type *))dlsym(RTLD_NEXT, #name);     \
        add(&counters->locks, 1);                                   \
        return real(lock);                                          \
    }

LOCK(pthread_mutex_lock, pthread_mutex_t, int)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, int)
LOCK(g_mutex_lock, void, void)
LOCK(g_rec_mutex_lock, void, void)
