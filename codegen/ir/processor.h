#ifndef SPGC_CODEGEN_IR_PROCESSOR_H
#define SPGC_CODEGEN_IR_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct processor {
  const char *name;
  const char *default_cpu;
  const char *example_cpu; /* for messages */
  const char *stack_pointer;
  unsigned integer_parameters, floating_point_parameters; /* registers of the C convention */
  unsigned thread_space; /* address space relative to the thread pointer; 0: none */
  uint16_t elf_machine;
  void (*list_cpus)(void *vector); /* LLVM's; fills a SmallVector of StringRef */
};

extern const char spgc_supported_triples[];

/* NULL unless it is Linux with 64-bit pointers. The triple need not be normalised. */
const struct processor *spgc_processor_of_triple(const char *triple);

const struct processor *spgc_processor_of_host(void);

/* An empty triple means this machine. */
const struct processor *spgc_processor_of_module(LLVMModuleRef module);

bool spgc_processor_has_cpu(const struct processor *processor, const char *name);

void spgc_processors_initialise(void);

bool spgc_processors_have_x86_64(void);

#endif
