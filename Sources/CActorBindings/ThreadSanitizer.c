#include "ThreadSanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER
#endif
#endif

#ifdef HAS_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);

const bool actor_bindings_thread_sanitizer_is_on = true;

void actor_bindings_thread_sanitizer_acquire(const void *address) { __tsan_acquire((void *)address); }

void actor_bindings_thread_sanitizer_release(const void *address) { __tsan_release((void *)address); }
#else
const bool actor_bindings_thread_sanitizer_is_on = false;

void actor_bindings_thread_sanitizer_acquire(const void *address) { (void)address; }

void actor_bindings_thread_sanitizer_release(const void *address) { (void)address; }
#endif
