#include <stddef.h>

// Returns the number of bytes that this process has allocated and not freed, or 0 where that is not known.
size_t heap_bytes_in_use(void);
