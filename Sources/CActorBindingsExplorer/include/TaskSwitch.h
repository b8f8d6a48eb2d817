#ifndef ACTOR_BINDINGS_TASK_SWITCH_H
#define ACTOR_BINDINGS_TASK_SWITCH_H

// Sets the function that is called on a task's thread before the task moves to another actor. It is given the address of
// the code that the task runs after the move, and the actor or executor. A null pointer removes the function.
void actor_bindings_set_task_switch_hook(void (*hook)(const void *next, const void *executor));

#endif
