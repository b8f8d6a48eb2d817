#ifndef ACTOR_BINDINGS_FUNCTION_NAME_H
#define ACTOR_BINDINGS_FUNCTION_NAME_H

// Returns the mangled name of the function with code at `address`, or a null pointer if the program does not know it.
const char *actor_bindings_function_name(const void *address);

#endif
