// The toolchain's module of the C library leaves this header out.
#include <sys/inotify.h>
