#ifndef ACTOR_BINDINGS_PREFETCH_H
#define ACTOR_BINDINGS_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

// Asks the processor to load `size` bytes at `address` into its caches, and does not wait for them. Nothing happens if
// nothing is there. `address` must be a multiple of 16: so the bytes are in one line more than `size` suggests, at most.
static inline void actor_bindings_prefetch(uintptr_t address, size_t size) {
  const char *first = (const char *)(address & ~(uintptr_t)63);
  for (size_t offset = 0; offset < size + 48; offset += 64) __builtin_prefetch(first + offset, 1, 3);
}

#endif
