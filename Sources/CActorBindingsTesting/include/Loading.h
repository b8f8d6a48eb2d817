#ifndef ACTOR_BINDINGS_TESTING_LOADING_H
#define ACTOR_BINDINGS_TESTING_LOADING_H

// This module declares nothing: it runs one function when a program loads it.

#endif
