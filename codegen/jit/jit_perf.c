#include "codegen/jit/jit_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "codegen/ir/processor.h"
#include "codegen/jit/jit_lines.h"
#include "support/fatal.h"

enum { MAGIC = 0x4A695444, VERSION = 1, CODE_LOAD = 0, DEBUG_INFO = 2 };

struct file_header {
  uint32_t magic, version, bytes, machine, padding, process;
  uint64_t time, flags;
};
struct record_header {
  uint32_t kind, bytes;
  uint64_t time;
};
struct code_load {
  struct record_header header;
  uint32_t process, thread;
  uint64_t address, code_address, bytes, number; /* followed by name and code */
};
struct debug_info {
  struct record_header header;
  uint64_t address, count; /* followed by the lines */
};
struct debug_line {
  uint64_t address;
  uint32_t line, discriminator; /* followed by the file's name */
};

/* perf takes times of this clock: `perf record -k mono`. */
static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int failed = mkdir(path, 0755);
    *slash = '/';
    if (failed != 0 && errno != EEXIST)
      return false;
  }
  return true;
}

/* perf looks for "jit-PID.dump", in a folder that only this process uses. */
static FILE *create_file(void) {
  const char *base = secure_getenv("JITDUMPDIR");
  char *path, *folder_end;
  if (base == NULL)
    base = getenv("HOME");
  if (asprintf(&path, "%s/.debug/jit/spgc-XXXXXX/jit-%d.dump", base != NULL ? base : ".",
               (int)getpid()) < 0)
    return NULL;
  folder_end = strrchr(path, '/');
  *folder_end = '\0';
  bool made = make_folders(path) && mkdtemp(path) != NULL;
  *folder_end = '/';
  FILE *file = made ? fopen(path, "w+xe") : NULL;
  free(path);
  return file;
}

enum spgc_result spgc_jit_perf_open(struct jit_perf *perf, struct spgc_error *error) {
  const struct file_header header = {.magic = MAGIC,
                                     .version = VERSION,
                                     .bytes = sizeof header,
                                     .machine = spgc_processor_of_host()->elf_machine,
                                     .process = (uint32_t)getpid(),
                                     .time = now()};
  perf->page = (uint64_t)sysconf(_SC_PAGESIZE);
  perf->process = getpid();
  perf->file = create_file();
  bool written = perf->file != NULL && fwrite(&header, sizeof header, 1, perf->file) == 1 &&
                 fflush(perf->file) == 0;
  if (written)
    perf->marker =
        mmap(NULL, perf->page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(perf->file), 0);
  if (written && perf->marker != MAP_FAILED)
    return SPGC_OK;
  enum spgc_result result =
      spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                     "cannot write a dump of generated code for perf: %s", strerror(errno));
  perf->marker = NULL;
  spgc_jit_perf_close(perf);
  return result;
}

void spgc_jit_perf_close(struct jit_perf *perf) {
  if (perf->marker != NULL)
    munmap(perf->marker, perf->page);
  if (perf->file != NULL)
    fclose(perf->file);
  *perf = (struct jit_perf){0};
}

struct lines {
  uintptr_t start, end;
  char *bytes;
  size_t size, capacity, count;
  bool failed;
};

static void append(struct lines *lines, const void *bytes, size_t size) {
  while (lines->capacity - lines->size < size && !lines->failed) {
    size_t capacity = lines->capacity == 0 ? 4096 : 2 * lines->capacity;
    char *grown = realloc(lines->bytes, capacity);
    lines->failed = grown == NULL;
    if (grown == NULL)
      return;
    lines->bytes = grown;
    lines->capacity = capacity;
  }
  memcpy(lines->bytes + lines->size, bytes, size);
  lines->size += size;
}

static void append_line(void *context, const struct jit_line *line) {
  struct lines *lines = context;
  if (line->address < lines->start || line->address >= lines->end || lines->failed)
    return;
  const struct debug_line written = {.address = line->address, .line = line->line};
  append(lines, &written, sizeof written);
  if (line->file[0] != '/' && line->folder[0] != '\0') {
    append(lines, line->folder, strlen(line->folder));
    append(lines, "/", 1);
  }
  append(lines, line->file, strlen(line->file) + 1);
  lines->count++;
}

static void write_lines(struct jit_perf *perf, const struct jit_image *image, uintptr_t start,
                        size_t size) {
  struct lines lines = {.start = start, .end = start + size};
  spgc_jit_lines_read(image, append_line, &lines);
  const struct debug_info info = {
      .header = {DEBUG_INFO, (uint32_t)(sizeof info + lines.size), now()},
      .address = start,
      .count = lines.count};
  if (lines.count > 0 && !lines.failed) {
    fwrite(&info, sizeof info, 1, perf->file);
    fwrite(lines.bytes, lines.size, 1, perf->file);
  }
  free(lines.bytes);
}

static void write_function(struct jit_perf *perf, const struct jit_image *image,
                           const struct jit_section *section, const Elf64_Sym *symbol) {
  const char *name = spgc_jit_image_symbol_name(image, symbol);
  uintptr_t start = section->address + symbol->st_value;
  size_t size = symbol->st_size, name_bytes = strlen(name) + 1;
  if (size > section->header.sh_size - symbol->st_value)
    return;
  write_lines(perf, image, start, size);
  const struct code_load load = {
      .header = {CODE_LOAD, (uint32_t)(sizeof load + name_bytes + size), now()},
      .process = (uint32_t)perf->process,
      .thread = (uint32_t)syscall(SYS_gettid),
      .address = start,
      .code_address = start,
      .bytes = size,
      .number = perf->functions++};
  fwrite(&load, sizeof load, 1, perf->file);
  fwrite(name, name_bytes, 1, perf->file);
  fwrite(section->bytes + symbol->st_value, size, 1, perf->file);
}

/* Readers stop at an incomplete record, so nothing follows a failed write. */
void spgc_jit_perf_add(struct jit_perf *perf, const struct jit_image *image) {
  if (getpid() != perf->process || ferror(perf->file))
    return;
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    const struct jit_section *section = spgc_jit_image_section_of(image, &symbol);
    if (section != NULL && section->part == JIT_CODE && symbol.st_size != 0 &&
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
      write_function(perf, image, section, &symbol);
  }
  fflush(perf->file);
}
