// What the toolchain's module of the C library leaves out, for LiveBoard. Elsewhere than on Linux there is nothing here.
#ifdef __linux__
  #include <sys/epoll.h>
#endif
