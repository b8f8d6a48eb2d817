#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

/// What one thread has allocated and freed between `counting_begin` and `counting_end`.
typedef struct {
  /// Calls that returned memory: malloc, calloc, realloc of nothing, and the aligned ones.
  long allocations;
  /// What was allocated less what was freed: whole chunks, with the allocator's header.
  long bytes;
} counting_result;

/// Whether anything can be counted here: only where the allocator is that of glibc.
bool counting_is_available(void);

/// The calling thread counts from here on. Others are not looked at, and cost nothing.
void counting_begin(void);

/// What it has counted.
counting_result counting_end(void);

#endif
