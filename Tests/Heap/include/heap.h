#include <stddef.h>

// How many bytes this process has allocated and not freed; 0 where that is not known.
size_t heap_bytes_in_use(void);
