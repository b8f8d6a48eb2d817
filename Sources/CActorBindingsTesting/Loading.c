#include "Loading.h"

#include "TestKit.h"

// The library must know of the test kit before it starts its first task. Swift code can run before `main` only if it is
// the program's own, so this function is in C.
__attribute__((constructor)) static void test_kit_was_loaded(void) { actor_bindings_test_kit_was_loaded(); }

bool actor_bindings_testing_was_loaded(void) { return actor_bindings_test_kit_is_present(); }
