#ifndef ACTOR_BINDINGS_TEST_KIT_H
#define ACTOR_BINDINGS_TEST_KIT_H

#include <stdbool.h>

// Whether the program contains the test kit (the product ActorBindingsTesting).
bool actor_bindings_test_kit_is_present(void);

// Called by the test kit when it is loaded.
void actor_bindings_test_kit_was_loaded(void);

#endif
