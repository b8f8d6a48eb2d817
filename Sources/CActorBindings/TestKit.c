#include "TestKit.h"

#include <stdatomic.h>

// Written when the test kit is loaded: before `main` runs, or later if a program loads a bundle of tests.
static _Atomic(bool) is_present = false;

bool actor_bindings_test_kit_is_present(void) { return atomic_load_explicit(&is_present, memory_order_relaxed); }

void actor_bindings_test_kit_was_loaded(void) { atomic_store_explicit(&is_present, true, memory_order_relaxed); }
