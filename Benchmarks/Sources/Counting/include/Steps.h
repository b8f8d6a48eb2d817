#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>

/// What a thread did between the beginning and the end of counting.
typedef struct {
  /// Instructions that change memory atomically: with a lock prefix, or an exchange with memory.
  long atomics;
  /// Attempts to take a lock of Swift's `Mutex`: comparisons with 0 that would store the thread's id. Without contention
  /// each attempt takes the lock.
  long acquisitions;
} steps_result;

/// Whether the processor and the kernel can stop a thread after each instruction: only on Linux on x86-64.
bool steps_are_available(void);

/// Begins to count on the calling thread, which now runs a few thousand times slower. Other threads are not counted. Only
/// one thread may count at a time.
void steps_begin(void);

/// Returns the counts since `steps_begin`.
steps_result steps_end(void);

#endif
