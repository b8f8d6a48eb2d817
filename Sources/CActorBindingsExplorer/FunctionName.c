#define _GNU_SOURCE

#include "FunctionName.h"

#ifdef EXPLORER

#include <dlfcn.h>
#include <stddef.h>

#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Maps the file of this program into memory, once. Returns a null pointer if it is no file of this format.
static const char *program(void) {
  static const char *mapped;
  if (mapped != NULL) return mapped;
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return NULL;
  if (fstat(file, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr)) {
    void *place = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    const unsigned char *head = place;
    if (place != MAP_FAILED && head[EI_MAG0] == ELFMAG0 && head[EI_MAG1] == ELFMAG1 && head[EI_CLASS] == ELFCLASS64)
      mapped = place;
  }
  close(file);
  return mapped;
}

// Looks in the table of all symbols. `dladdr` knows only those that the program exports, and a test exports none.
static const char *local_name(uintptr_t offset) {
  const char *file = program();
  if (file == NULL) return NULL;
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  for (int index = 0; index < header->e_shnum; index++) {
    if (sections[index].sh_type != SHT_SYMTAB) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + sections[index].sh_offset);
    const char *names = file + sections[sections[index].sh_link].sh_offset;
    for (size_t number = 0; number < sections[index].sh_size / sizeof(Elf64_Sym); number++) {
      const Elf64_Sym *symbol = &symbols[number];
      if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && offset >= symbol->st_value &&
          offset < symbol->st_value + symbol->st_size)
        return names + symbol->st_name;
    }
  }
  return NULL;
}
#else
static void program(void) {}

static const char *local_name(unsigned long offset) {
  (void)offset;
  return NULL;
}
#endif

const char *actor_bindings_function_name(const void *address) {
  Dl_info info;
  if (dladdr(address, &info) == 0) return NULL;
  if (info.dli_sname != NULL) return info.dli_sname;
  Dl_info here;
  // The table is that of the program, and not that of a library that it has loaded.
  if (dladdr((const void *)program, &here) == 0 || here.dli_fbase != info.dli_fbase) return NULL;
  return local_name((const char *)address - (const char *)info.dli_fbase);
}
#endif
