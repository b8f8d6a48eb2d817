// The functions that LiveBoard needs, and that the toolchain's module of the C library leaves out. On other systems
// than Linux, this header is empty.
#ifdef __linux__
  #include <sys/epoll.h>
#endif
