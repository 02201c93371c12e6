#include "codegen/ir/processor.h"

#include <elf.h>
#include <stdatomic.h>
#include <string.h>

#include <llvm-c/TargetMachine.h>

#include "support/fatal.h"

/* LLVM's C interface has no list of processors, and LLVM only warns of an unknown name. clang asks
 * these functions (llvm/TargetParser). */
void list_x86_64_cpus(void *vector, bool only_64_bit) __asm__(
    "_ZN4llvm3X8620fillValidCPUArchListERNS_15SmallVectorImplINS_9StringRefEEEb");
void list_aarch64_cpus(void *vector) __asm__(
    "_ZN4llvm7AArch6420fillValidCPUArchListERNS_15SmallVectorImplINS_9StringRefEEE");

static void list_x86_64(void *vector) {
  list_x86_64_cpus(vector, true);
}

static const struct processor processors[] = {
    {.name = "x86_64",
     .default_cpu = "x86-64-v2",
     .example_cpu = "x86-64-v3",
     .stack_pointer = "rsp",
     .integer_parameters = 6, /* System V psABI for x86-64, 3.2.3 */
     .floating_point_parameters = 8,
     .thread_space = 257, /* relative to %fs */
     .elf_machine = EM_X86_64,
     .list_cpus = list_x86_64},
    {.name = "aarch64",
     .default_cpu = "generic",
     .example_cpu = "neoverse-n1",
     .stack_pointer = "sp",
     .integer_parameters = 8, /* AAPCS64, 6.8.2 */
     .floating_point_parameters = 8,
     .elf_machine = EM_AARCH64,
     .list_cpus = list_aarch64_cpus},
};

enum { PROCESSORS = sizeof processors / sizeof *processors };

const char spgc_supported_triples[] =
    "x86_64 or aarch64 with -linux, -linux-gnu or -linux-musl, and any vendor";

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

/* A version may follow the word. */
static bool is_word(struct part part, const char *word) {
  size_t length = strlen(word);
  return part.length >= length && memcmp(part.start, word, length) == 0 &&
         strspn(part.start + length, "0123456789.") >= part.length - length;
}

/* Other systems need other code: x32 has 32-bit pointers, and Android emulates thread-local
 * variables. */
static const struct processor *processor_of_normal(const char *triple) {
  struct part name = part_of(triple, 0), system = part_of(triple, 2),
              environment = part_of(triple, 3);
  if (!is_word(system, "linux") ||
      (environment.length != 0 && !is_word(environment, "gnu") && !is_word(environment, "musl")))
    return NULL;
  for (size_t i = 0; i < PROCESSORS; i++)
    if (name.length == strlen(processors[i].name) && is_word(name, processors[i].name))
      return &processors[i];
  return NULL;
}

const struct processor *spgc_processor_of_triple(const char *triple) {
  char *normal = LLVMNormalizeTargetTriple(triple);
  const struct processor *processor = processor_of_normal(normal);
  LLVMDisposeMessage(normal);
  return processor;
}

/* Cached, because LLVM parses the triple each time, and the JIT asks for each object. */
const struct processor *spgc_processor_of_host(void) {
  static const struct processor *_Atomic host;
  const struct processor *processor = atomic_load_explicit(&host, memory_order_relaxed);
  if (processor != NULL)
    return processor;
  char *triple = LLVMGetDefaultTargetTriple();
  processor = spgc_processor_of_triple(triple);
  spgc_require(processor != NULL, "LLVM says that it runs on %s", triple);
  LLVMDisposeMessage(triple);
  atomic_store_explicit(&host, processor, memory_order_relaxed);
  return processor;
}

const struct processor *spgc_processor_of_module(LLVMModuleRef module) {
  const char *triple = LLVMGetTarget(module);
  const struct processor *processor =
      *triple != '\0' ? spgc_processor_of_triple(triple) : spgc_processor_of_host();
  spgc_require(processor != NULL, "a module for %s was not refused", triple);
  return processor;
}

/* LLVM's SmallVector<StringRef, 1024>; there are about ninety names. */
struct names {
  void *begin; /* `space`, unless the vector has grown */
  uint32_t size, capacity;
  struct name {
    const char *bytes;
    size_t length;
  } space[1024];
};

bool spgc_processor_has_cpu(const struct processor *processor, const char *name) {
  struct names names;
  names.begin = names.space;
  names.size = 0;
  names.capacity = sizeof names.space / sizeof *names.space;
  processor->list_cpus(&names);
  spgc_require(names.begin == names.space, "LLVM knows more than 1024 processors");
  size_t length = strlen(name);
  for (uint32_t i = 0; i < names.size; i++)
    if (names.space[i].length == length && memcmp(names.space[i].bytes, name, length) == 0)
      return true;
  return strcmp(name, "generic") == 0; /* the code generator's own name */
}

/* A static LLVM may have only this machine's part. Weak references link nothing: emit/target.c
 * initialises the parts that must exist. */
#define EACH_PART(one) one(TargetInfo) one(Target) one(TargetMC) one(AsmPrinter) one(AsmParser)
#define DECLARE_WEAK(part)                                                                         \
  void LLVMInitializeX86##part(void) __attribute__((weak));                                        \
  void LLVMInitializeAArch64##part(void) __attribute__((weak));
EACH_PART(DECLARE_WEAK)

#define INITIALISE(part)                                                                           \
  if (LLVMInitializeX86##part != NULL)                                                             \
    LLVMInitializeX86##part();                                                                     \
  if (LLVMInitializeAArch64##part != NULL)                                                         \
    LLVMInitializeAArch64##part();

void spgc_processors_initialise(void) {
  EACH_PART(INITIALISE)
}

bool spgc_processors_have_x86_64(void) {
  return LLVMInitializeX86Target != NULL;
}
