#include "ThreadLocalWords.h"

static _Thread_local uintptr_t words[ACTOR_BINDINGS_THREAD_LOCAL_WORD_COUNT];

uintptr_t *actor_bindings_thread_local_words(void) { return words; }
