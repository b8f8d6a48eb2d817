#ifndef ACTOR_BINDINGS_THREAD_SANITIZER_H
#define ACTOR_BINDINGS_THREAD_SANITIZER_H

#include <stdbool.h>

// Whether the program runs under the thread sanitizer. The package manager passes `--sanitize=thread` to C files, but
// Swift imports headers without that option. So a C file defines the constant.
extern const bool actor_bindings_thread_sanitizer_is_on;

// Tells the thread sanitizer that this thread has acquired, or releases, what `address` guards. Does nothing without it.
void actor_bindings_thread_sanitizer_acquire(const void *address);
void actor_bindings_thread_sanitizer_release(const void *address);

#endif
