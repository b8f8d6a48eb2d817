#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

#include "Steps.h"

/// The allocations between the beginning and the end of counting.
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

/// Begins to count on all threads. Only one caller may count at a time.
void counting_begin_everywhere(void);

/// Returns the counts of all threads since `counting_begin_everywhere`.
counting_result counting_end_everywhere(void);

#endif
