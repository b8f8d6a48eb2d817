#include "TestKit.h"

// Written only before `main` runs.
static bool is_present = false;

bool actor_bindings_test_kit_is_present(void) { return is_present; }

void actor_bindings_test_kit_was_loaded(void) { is_present = true; }
