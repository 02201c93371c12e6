#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/standard_streams.h"
#include "tools/stackmap/object_file.h"
#include "tools/stackmap/print.h"
#include "tools/version.h"

enum exit_status { EXIT_PRINTED = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

struct arguments {
  struct print_options printing;
  enum raw_order raw_order;
  bool json;
};

static const char usage_text[] =
    "usage: spgc-stackmap FILE... [options]\n"
    "\n"
    "Prints the LLVM stack maps (versions 1, 2 and 3) of ELF, Mach-O and COFF files, or of a file "
    "that holds the bytes "
    "of\n"
    "a section of stack maps alone.\n"
    "\n"
    "      --json                    a JSON document for each file, on a line of its own\n"
    "      --statepoints             decode the locations of statepoints: calling convention, "
    "flags, deopt values, "
    "pairs\n"
    "                                of base and derived reference, allocas\n"
    "      --byte-order=little|big   of the bytes of a section alone (default: the one in which "
    "they can be read)\n"
    "      --help, --version\n"
    "\n"
    "Addresses are those in the file: 0 if relocation will set them. Functions have "
    "names in\n"
    "ELF files that have symbols, registers in files for x86-64.\n"
    "Exit status: 0 printed, 1 a file is malformed or cannot be read, 2 wrong usage.\n";

enum { OPTION_JSON = 256, OPTION_STATEPOINTS, OPTION_BYTE_ORDER, OPTION_HELP, OPTION_VERSION };

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"statepoints", no_argument, NULL, OPTION_STATEPOINTS},
    {"byte-order", required_argument, NULL, OPTION_BYTE_ORDER},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static _Noreturn void fail_usage(const char *format, const char *detail) {
  fputs("spgc-stackmap: ", stderr);
  fprintf(stderr, format, detail);
  fputs("\nTry 'spgc-stackmap --help'.\n", stderr);
  exit(EXIT_USAGE);
}

static enum raw_order raw_order(const char *word) {
  if (strcmp(word, "little") == 0)
    return RAW_ORDER_LITTLE;
  if (strcmp(word, "big") == 0)
    return RAW_ORDER_BIG;
  fail_usage("unknown choice --byte-order=%s", word);
}

static void read_option(struct arguments *arguments, int option) {
  switch (option) {
  case OPTION_JSON: arguments->json = true; return;
  case OPTION_STATEPOINTS: arguments->printing.statepoints = true; return;
  case OPTION_BYTE_ORDER: arguments->raw_order = raw_order(optarg); return;
  case OPTION_HELP: exit(tool_print("spgc-stackmap", usage_text) ? EXIT_PRINTED : EXIT_REFUSED);
  case OPTION_VERSION:
    exit(tool_print_version("spgc-stackmap", NULL) ? EXIT_PRINTED : EXIT_REFUSED);
  default: fputs("Try 'spgc-stackmap --help'.\n", stderr); exit(EXIT_USAGE);
  }
}

static bool report(const char *path, const char *message) {
  fprintf(stderr, "spgc-stackmap: %s: %s\n", path, message);
  return false;
}

static bool report_error(const char *path, const struct spgc_error *error) {
  fprintf(stderr, "spgc-stackmap: %s: byte %" PRIu64 ": %s\n", path, error->position,
          error->message);
  return false;
}

static bool report_section(const char *path, const struct map_extent *extent,
                           const struct spgc_error *error) {
  fprintf(stderr,
          "spgc-stackmap: %s: byte %" PRIu64 " of the stack maps (byte %" PRIu64
          " of the file): %s\n",
          path, error->position, extent->position + error->position, error->message);
  return false;
}

/* Files are mapped, so that only the parts in use are read; a pipe is read into memory. */
struct contents {
  unsigned char *bytes;
  uint64_t size;
  bool is_mapped;
};

static bool read_pipe(int descriptor, struct contents *contents) {
  for (size_t capacity = 0;;) {
    if (contents->size == capacity) {
      capacity = capacity == 0 ? 1 << 16 : 2 * capacity;
      unsigned char *larger = realloc(contents->bytes, capacity);
      if (larger == NULL)
        return false;
      contents->bytes = larger;
    }
    ssize_t count = read(descriptor, contents->bytes + contents->size, capacity - contents->size);
    if (count == 0)
      return true;
    if (count > 0)
      contents->size += (uint64_t)count;
    else if (errno != EINTR)
      return false;
  }
}

static void contents_free(struct contents *contents) {
  if (contents->is_mapped)
    munmap(contents->bytes, contents->size);
  else
    free(contents->bytes);
}

/* The caller always frees the contents. Files of size 0 are also read: those of /proc may have
 * contents. */
static bool contents_read(int descriptor, struct contents *contents) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return false;
  if (!S_ISREG(status.st_mode) || status.st_size == 0)
    return read_pipe(descriptor, contents);
  void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes == MAP_FAILED)
    return false;
  *contents =
      (struct contents){.bytes = bytes, .size = (uint64_t)status.st_size, .is_mapped = true};
  return true;
}

static bool print_file(const char *path, const struct object_file *file,
                       const struct arguments *arguments) {
  for (size_t i = 0; i < file->section_count; i++) {
    struct spgc_error error;
    const struct spgc_stackmap_section section = file_section(file, i);
    if (map_section_check(&section, &error) != SPGC_OK)
      return report_section(path, &file->sections[i], &error);
  }
  if (!arguments->json)
    print_text(stdout, path, file, &arguments->printing);
  else if (!print_json(stdout, file, &arguments->printing))
    return report(path, "cannot build the document: out of memory");
  return true;
}

static bool process(const char *path, const struct arguments *arguments) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return report(path, strerror(errno));
  struct contents contents = {0};
  bool done = contents_read(descriptor, &contents);
  if (!done)
    report(path, strerror(errno));
  close(descriptor);
  if (done) {
    struct object_file file;
    struct spgc_error error;
    struct image image = {.bytes = contents.bytes, .size = contents.size};
    done = object_file_open(image, arguments->raw_order, &file, &error) == SPGC_OK
               ? print_file(path, &file, arguments)
               : report_error(path, &error);
    object_file_close(&file);
  }
  contents_free(&contents);
  return done;
}

int main(int count, char **words) {
  struct arguments arguments = {.raw_order = RAW_ORDER_GUESSED};
  spgc_streams_fill();
  for (int option; (option = getopt_long(count, words, "", long_options, NULL)) != -1;)
    read_option(&arguments, option);
  if (optind >= count)
    fail_usage("no input file%s", "");
  bool done = true;
  for (int i = optind; i < count; i++)
    done = process(words[i], &arguments) && done;
  int error = spgc_stdout_finish();
  if (error != 0)
    done = report("standard output", strerror(error));
  return done ? EXIT_PRINTED : EXIT_REFUSED;
}
