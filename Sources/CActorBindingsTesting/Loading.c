#include "Loading.h"

#include "TestKit.h"

// The library must know of the test kit before it starts its first task. Swift code cannot run when a module is loaded, so
// this function is in C.
__attribute__((constructor)) static void test_kit_was_loaded(void) { actor_bindings_test_kit_was_loaded(); }

bool actor_bindings_testing_was_loaded(void) { return actor_bindings_test_kit_is_present(); }
