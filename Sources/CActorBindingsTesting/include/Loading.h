#ifndef ACTOR_BINDINGS_TESTING_LOADING_H
#define ACTOR_BINDINGS_TESTING_LOADING_H

#include <stdbool.h>

// Whether this module has told the library that the program contains the test kit.
bool actor_bindings_testing_was_loaded(void);

#endif
