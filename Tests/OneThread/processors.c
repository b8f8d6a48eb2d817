// A preloaded library that makes a process believe that the machine has one processor. Dispatch reads the number of
// processors when it is loaded, and gives the pool of Swift's tasks one thread for each processor. On Linux, no setting
// changes that number.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

long sysconf(int name) {
  if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) return 1;
  // The original function is not stored in a variable: Dispatch calls this function before initializers have run,
  // perhaps on several threads.
  return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  (void)thread;
  CPU_ZERO_S(size, set);
  CPU_SET_S(0, size, set);
  return 0;
}
