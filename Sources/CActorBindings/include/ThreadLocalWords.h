#ifndef ACTOR_BINDINGS_THREAD_LOCAL_WORDS_H
#define ACTOR_BINDINGS_THREAD_LOCAL_WORDS_H

#include <stdint.h>

#define ACTOR_BINDINGS_THREAD_LOCAL_WORD_COUNT 3

// Returns the words of the calling thread. Each word is 0 until the thread sets it. Swift has no thread-local variables.
uintptr_t *actor_bindings_thread_local_words(void);

#endif
