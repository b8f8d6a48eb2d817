// Preloaded, it has a process believe that the machine has one processor. Dispatch asks when it is loaded, and gives
// the pool of Swift's tasks as many threads as there are processors. No setting does that on Linux.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

long sysconf(int name) {
  if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) return 1;
  // Not kept in a variable: Dispatch asks before initializers have run, and several threads may.
  return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  (void)thread;
  CPU_ZERO_S(size, set);
  CPU_SET_S(0, size, set);
  return 0;
}
