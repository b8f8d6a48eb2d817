#define _GNU_SOURCE

#include "TaskSwitch.h"

#if defined(EXPLORER) && defined(__linux__) && __has_attribute(swiftasynccall)
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// The arguments of `swift_task_switch`: the context in which the task continues, in a register of its own; the code that
// continues it; and the two words of the executor. (HeapObject *, and a witness table with flags.)
typedef void (*TaskSwitch)(void *context __attribute__((swift_async_context)), void *next, void *identity, void *implementation)
    __attribute__((swiftasynccall));

static void (*_Atomic hook)(const void *next, const void *executor);

void actor_bindings_set_task_switch_hook(void (*new_hook)(const void *next, const void *executor)) { atomic_store(&hook, new_hook); }

static TaskSwitch runtime(void) {
  static _Atomic(TaskSwitch) found;
  TaskSwitch function = atomic_load_explicit(&found, memory_order_relaxed);
  if (function == NULL) {
    function = (TaskSwitch)dlsym(RTLD_NEXT, "swift_task_switch");
    if (function == NULL) {
      fputs("ActorBindingsExplorer: the Swift runtime has no function `swift_task_switch`\n", stderr);
      abort();
    }
    atomic_store_explicit(&found, function, memory_order_relaxed);
  }
  return function;
}

// The linker binds the calls of this program to this function, which stands before that of the runtime.
__attribute__((swiftasynccall)) void swift_task_switch(void *context __attribute__((swift_async_context)), void *next,
                                                       void *identity, void *implementation) {
  void (*current)(const void *, const void *) = atomic_load_explicit(&hook, memory_order_relaxed);
  if (current != NULL) current(next, identity);
  __attribute__((musttail)) return runtime()(context, next, identity, implementation);
}
#else
void actor_bindings_set_task_switch_hook(void (*hook)(const void *next, const void *executor)) { (void)hook; }
#endif
