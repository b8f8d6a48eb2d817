#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

/// The allocations of one thread between `counting_begin` and `counting_end`.
typedef struct {
  /// Calls that returned new memory: malloc, calloc, realloc of NULL, and the aligned variants.
  long allocations;
  /// Allocated bytes less freed bytes, in whole chunks, with the allocator's header.
  long bytes;
} counting_result;

/// Whether allocations can be counted: only with the allocator of glibc.
bool counting_is_available(void);

/// Begins to count on the calling thread. Other threads are not counted, and lose no time.
void counting_begin(void);

/// Returns the counts since `counting_begin`.
counting_result counting_end(void);

#endif
