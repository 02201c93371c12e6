#include "codegen/emit/triple.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

const char spgc_supported_triples[] =
    "x86_64-linux, x86_64-linux-gnu and x86_64-linux-musl, with any vendor";

/* The part of a normalised triple with this number, up to the next dash. */
struct part {
  const char *start;
  size_t length;
};

static struct part part_of(const char *triple, unsigned number) {
  for (; number > 0 && *triple != '\0'; number--) {
    triple += strcspn(triple, "-");
    triple += *triple == '-';
  }
  return (struct part){triple, strcspn(triple, "-")};
}

/* The word, perhaps with a version behind it. */
static bool is_word(struct part part, const char *word) {
  size_t length = strlen(word);
  return part.length >= length && memcmp(part.start, word, length) == 0 &&
         strspn(part.start + length, "0123456789.") >= part.length - length;
}

/* Others of the same processor and system differ in what generated code depends on: x32 has
 * pointers of 32 bits, and Android emulates thread-local variables. */
bool spgc_triple_is_supported(const char *triple) {
  char *normal = LLVMNormalizeTargetTriple(triple);
  struct part processor = part_of(normal, 0), system = part_of(normal, 2);
  struct part environment = part_of(normal, 3);
  bool supported =
      processor.length == strlen("x86_64") && is_word(processor, "x86_64") &&
      is_word(system, "linux") &&
      (environment.length == 0 || is_word(environment, "gnu") || is_word(environment, "musl"));
  LLVMDisposeMessage(normal);
  return supported;
}
