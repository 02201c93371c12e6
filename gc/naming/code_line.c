#include "gc/naming/code_line.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "support/collector_thread.h"
#include "support/file_name.h"

/* Weak: a static program may lack them. */
#pragma weak dlopen
#pragma weak dlsym

/* libdw's interface, as far as used (elfutils/libdwfl.h, libdw.h). */
struct dwfl;
struct dwfl_module;
struct dwarf_die;
struct dwarf_line;

struct dwfl_callbacks {
  void *find_elf; /* unused: the file is reported */
  void *find_debuginfo;
  void *section_address;
  char **debuginfo_path;
};

/* X(result, name, parameters) */
#define FUNCTIONS(X)                                                                               \
  X(struct dwfl *, dwfl_begin, (const struct dwfl_callbacks *))                                    \
  X(struct dwfl_module *, dwfl_report_offline, (struct dwfl *, const char *, const char *, int))   \
  X(int, dwfl_report_end, (struct dwfl *, void *, void *))                                         \
  X(void *, dwfl_module_getelf, (struct dwfl_module *, uint64_t *bias))                            \
  X(const char *, dwfl_module_addrname, (struct dwfl_module *, uint64_t address))                  \
  X(const char *, dwfl_module_addrinfo,                                                            \
    (struct dwfl_module *, uint64_t address, uint64_t *offset, Elf64_Sym *, uint32_t *section,     \
     void **elf, uint64_t *bias))                                                                  \
  X(struct dwarf_die *, dwfl_module_nextcu,                                                        \
    (struct dwfl_module *, struct dwarf_die *, uint64_t *bias))                                    \
  X(int, dwarf_haspc, (struct dwarf_die *, uint64_t address))                                      \
  X(struct dwarf_line *, dwarf_getsrc_die, (struct dwarf_die *, uint64_t address))                 \
  X(const char *, dwarf_linesrc, (struct dwarf_line *, uint64_t *, uint64_t *))                    \
  X(int, dwarf_lineno, (struct dwarf_line *, int *line))                                           \
  X(void, dwfl_end, (struct dwfl *))                                                               \
  X(int, dwfl_errno, (void))                                                                       \
  X(int, elf_errno, (void))

static struct {
#define FUNCTION(result, name, parameters) result(*name) parameters;
  FUNCTIONS(FUNCTION)
#undef FUNCTION
  struct dwfl_callbacks callbacks;
  atomic_bool loaded;
} libdw;

/* Finds separate debug information by build ID, on this machine only. */
static void load(void) {
  bool is_static = getauxval(AT_BASE) == 0; /* without a loader, it would load a second C library */
  bool can_load = !is_static && dlopen != NULL && dlsym != NULL;
  void *library = can_load ? dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL)
    return;
  bool complete = true;
#define FUNCTION(result, name, parameters)                                                         \
  *(void **)&libdw.name = dlsym(library, #name);                                                   \
  complete = complete && libdw.name != NULL;
  FUNCTIONS(FUNCTION)
#undef FUNCTION
  libdw.callbacks.find_debuginfo = dlsym(library, "dwfl_build_id_find_debuginfo");
  libdw.callbacks.section_address = dlsym(library, "dwfl_offline_section_address");
  if (!complete || libdw.callbacks.find_debuginfo == NULL ||
      libdw.callbacks.section_address == NULL)
    return;
  libdw.dwfl_errno(); /* the first use of its thread-local memory takes the loader's lock */
  libdw.elf_errno();
  libdw.loaded = true;
}

void spgc_code_lines_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
}

bool spgc_code_lines_exist(void) {
  return libdw.loaded;
}

/* Asks each compilation unit, because clang writes no .debug_aranges. */
static struct dwarf_line *find_line(struct dwfl_module *module, uint64_t address) {
  struct dwarf_die *unit = NULL;
  uint64_t bias;
  while ((unit = libdw.dwfl_module_nextcu(module, unit, &bias)) != NULL)
    if (libdw.dwarf_haspc(unit, address - bias) > 0)
      return libdw.dwarf_getsrc_die(unit, address - bias);
  return NULL;
}

struct spgc_code_file {
  struct dwfl *files;
  struct dwfl_module *module;
  uint64_t bias; /* added to libdw's addresses */
};

struct spgc_code_file *spgc_code_file_open(const char *file, bool is_program) {
  struct spgc_code_file *opened =
      libdw.loaded && file[0] != '\0' ? calloc(1, sizeof *opened) : NULL;
  if (opened == NULL)
    return NULL;
  opened->files = libdw.dwfl_begin(&libdw.callbacks);
  if (opened->files != NULL)
    opened->module = libdw.dwfl_report_offline(opened->files, file,
                                               is_program ? SPGC_OWN_FILES "exe" : file, -1);
  if (opened->files != NULL && libdw.dwfl_report_end(opened->files, NULL, NULL) == 0 &&
      opened->module != NULL && libdw.dwfl_module_getelf(opened->module, &opened->bias) != NULL)
    return opened;
  spgc_code_file_close(opened);
  return NULL;
}

struct spgc_code_line spgc_code_file_find(struct spgc_code_file *file, uintptr_t address) {
  struct spgc_code_line found = {
      .function = libdw.dwfl_module_addrname(file->module, address + file->bias)};
  struct dwarf_line *line = find_line(file->module, address + file->bias);
  int number = 0;
  if (line != NULL) {
    found.source = libdw.dwarf_linesrc(line, NULL, NULL);
    libdw.dwarf_lineno(line, &number);
    found.line = (uint32_t)number;
  }
  return found;
}

const char *spgc_code_file_find_variable(struct spgc_code_file *file, uintptr_t address,
                                         uint64_t *offset) {
  Elf64_Sym symbol;
  const char *name = libdw.dwfl_module_addrinfo(file->module, address + file->bias, offset, &symbol,
                                                NULL, NULL, NULL);
  bool is_variable = name != NULL && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT;
  return is_variable && *offset < symbol.st_size ? name : NULL;
}

void spgc_code_file_close(struct spgc_code_file *file) {
  if (file != NULL && file->files != NULL)
    libdw.dwfl_end(file->files);
  free(file);
}

void spgc_code_describe_line(const struct spgc_code_place *place, char *text, size_t size) {
  struct spgc_code_file *file = spgc_code_file_open(place->file, place->is_program);
  if (file == NULL) {
    spgc_code_describe(place, text, size);
    return;
  }
  struct spgc_code_line found = spgc_code_file_find(file, place->address);
  const char *function = found.function != NULL ? found.function : place->function;
  if (found.source == NULL)
    snprintf(text, size, "%s (%s+0x%zx)", function, place->file, (size_t)place->address);
  else
    snprintf(text, size, "%s (%s:%" PRIu32 ", %s+0x%zx)", function, found.source, found.line,
             place->file, (size_t)place->address);
  spgc_code_file_close(file);
}

struct call {
  void (*find)(void *context);
  void *context;
  int error;
};

int spgc_line_thread_own_descriptors(void) {
  return close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_UNSHARE) == 0 ? 0 : errno;
}

static void *run(void *argument) {
  struct call *call = argument;
  call->error = spgc_line_thread_own_descriptors();
  if (call->error == 0)
    call->find(call->context);
  return NULL;
}

int spgc_line_thread_call(void (*find)(void *context), void *context) {
  struct call call = {.find = find, .context = context};
  pthread_t thread;
  int refused =
      spgc_collector_thread_start(&thread, "spgc-lines", SPGC_READER_STACK_BYTES, run, &call);
  if (refused != 0)
    return refused;
  pthread_join(thread, NULL);
  return call.error;
}
