#include "Counting.h"

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

// A program's definitions take precedence over those of shared libraries. So Swift's runtime and libdispatch call these
// functions too, and these functions call those of the C library.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static __thread bool is_counting = false;
static __thread counting_result counted;

static atomic_bool is_counting_everywhere = false;
static atomic_long allocations_everywhere;
static atomic_long bytes_everywhere;

// A chunk's header is one word.
static inline long chunk_size(void *memory) {
  return (long)malloc_usable_size(memory) + (long)sizeof(size_t);
}

static inline bool counts_everywhere(void) {
  return __builtin_expect(atomic_load_explicit(&is_counting_everywhere, memory_order_relaxed), false);
}

static void count_everywhere(long allocations, long bytes) {
  atomic_fetch_add_explicit(&allocations_everywhere, allocations, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes_everywhere, bytes, memory_order_relaxed);
}

static inline void *allocated(void *memory) {
  if (counts_everywhere() && memory) count_everywhere(1, chunk_size(memory));
  if (__builtin_expect(is_counting, false) && memory) {
    counted.allocations += 1;
    counted.bytes += chunk_size(memory);
  }
  return memory;
}

static inline void will_free(void *memory) {
  if (counts_everywhere() && memory) count_everywhere(0, -chunk_size(memory));
  if (__builtin_expect(is_counting, false) && memory) counted.bytes -= chunk_size(memory);
}

void *malloc(size_t size) { return allocated(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return allocated(__libc_calloc(count, size)); }

void *realloc(void *memory, size_t size) {
  if (!__builtin_expect(is_counting, false) && !counts_everywhere()) return __libc_realloc(memory, size);
  long before = memory ? chunk_size(memory) : 0;
  long allocations = memory ? 0 : 1;
  void *moved = __libc_realloc(memory, size);
  if (moved || size == 0) {
    long bytes = (moved ? chunk_size(moved) : 0) - before;
    if (counts_everywhere()) count_everywhere(allocations, bytes);
    if (is_counting) {
      counted.allocations += allocations;
      counted.bytes += bytes;
    }
  }
  return moved;
}

void free(void *memory) {
  will_free(memory);
  __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return allocated(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return allocated(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *block = __libc_memalign(alignment, size);
  if (!block) return ENOMEM;
  *memory = allocated(block);
  return 0;
}

bool counting_is_available(void) { return true; }

void counting_begin(void) {
  counted = (counting_result){0, 0};
  is_counting = true;
}

counting_result counting_end(void) {
  is_counting = false;
  return counted;
}

void counting_begin_everywhere(void) {
  atomic_store(&allocations_everywhere, 0);
  atomic_store(&bytes_everywhere, 0);
  atomic_store(&is_counting_everywhere, true);
}

counting_result counting_end_everywhere(void) {
  atomic_store(&is_counting_everywhere, false);
  return (counting_result){atomic_load(&allocations_everywhere), atomic_load(&bytes_everywhere)};
}

#else

bool counting_is_available(void) { return false; }
void counting_begin(void) {}
counting_result counting_end(void) { return (counting_result){0, 0}; }
void counting_begin_everywhere(void) {}
counting_result counting_end_everywhere(void) { return (counting_result){0, 0}; }

#endif
