#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "Steps.h"

#if defined(__linux__) && defined(__x86_64__)

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static __thread steps_result counted;
static __thread uint32_t thread_id;
// What the program does when a thread stops, for example to print a backtrace. Only one thread counts at a time.
static struct sigaction former;

static __thread bool is_counting = false;

// While the trap flag of a thread is set, the processor stops the thread after each instruction. The red zone below the
// stack pointer belongs to the caller.
static inline __attribute__((always_inline)) void set_trap_flag(void) {
  __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static inline __attribute__((always_inline)) void clear_trap_flag(void) {
  __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "memory", "cc");
}

// The next two functions take precedence over those of the C library, because they are the program's own.

enum { clocks = 16 };
static __thread struct timespec stopped_at[clocks];
static __thread bool is_stopped[clocks];

// A lane ends its turn when much time has passed. So time stands still for a thread that is slow only because its steps
// are counted.
int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*next)(clockid_t, struct timespec *) = 0;
  __typeof__(next) call = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (__builtin_expect(!call, false)) {
    call = (__typeof__(next))dlsym(RTLD_NEXT, "clock_gettime");
    __atomic_store_n(&next, call, __ATOMIC_RELAXED);
  }
  if (__builtin_expect(!is_counting, true) || clock < 0 || clock >= clocks) return call(clock, time);
  if (!is_stopped[clock]) {
    if (call(clock, &stopped_at[clock]) != 0) return -1;
    is_stopped[clock] = true;
  }
  *time = stopped_at[clock];
  return 0;
}

// A new thread must not begin with the flag. The C library also blocks all signals meanwhile, and a blocked trap ends the
// program.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  __typeof__(&pthread_create) call = (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
  if (is_counting) clear_trap_flag();
  int result = call(thread, attributes, start, argument);
  if (is_counting) set_trap_flag();
  return result;
}

static uint64_t content(const ucontext_t *context, int number) {
  static const int registers[] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
  };
  return (uint64_t)context->uc_mcontext.gregs[registers[number]];
}

// The kernel calls this after each instruction. Looks at the instruction that comes next.
static void stopped(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  const ucontext_t *thread = context;
  const uint8_t *code = (const uint8_t *)thread->uc_mcontext.gregs[REG_RIP];

  bool is_locked = false;
  uint8_t rex = 0;
  for (;; code++) {
    if (*code == 0xf0) {
      is_locked = true;
    } else if (*code != 0x66 && *code != 0xf2 && *code != 0xf3 && *code != 0x64 && *code != 0x65) {
      break;
    }
  }
  if ((*code & 0xf0) == 0x40) rex = *code++;

  // An exchange with memory needs no prefix.
  bool is_exchange = (*code == 0x86 || *code == 0x87) && code[1] >> 6 != 3;
  if (is_locked || is_exchange) counted.atomics += 1;

  bool is_comparison = is_locked && code[0] == 0x0f && code[1] == 0xb1;
  if (is_comparison && (uint32_t)content(thread, 0) == 0) {
    int source = (code[2] >> 3 & 7) | (rex & 4 ? 8 : 0);
    if ((uint32_t)content(thread, source) == thread_id) counted.acquisitions += 1;
  }
}

bool steps_are_available(void) {
  // Some kernels and emulators ignore the flag, so a known number of operations is counted.
  long word = 0;
  steps_begin();
  for (int i = 0; i < 10; i++) __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
  return steps_end().atomics == 10 && __atomic_load_n(&word, __ATOMIC_SEQ_CST) == 10;
}

void steps_begin(void) {
  assert(!is_counting);
  struct sigaction action = {.sa_sigaction = stopped, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, &former);
  counted = (steps_result){0, 0};
  thread_id = (uint32_t)gettid();
  memset(is_stopped, 0, sizeof is_stopped);
  is_counting = true;
  set_trap_flag();
}

steps_result steps_end(void) {
  clear_trap_flag();
  if (is_counting) sigaction(SIGTRAP, &former, 0);
  is_counting = false;
  return counted;
}

#else

bool steps_are_available(void) { return false; }
void steps_begin(void) {}
steps_result steps_end(void) { return (steps_result){0, 0}; }

#endif
