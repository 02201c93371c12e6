/* The processors that code can be generated for, and all that the lowering knows of each. A module
 * is for the processor that its target triple names. */
#ifndef SPGC_CODEGEN_IR_PROCESSOR_H
#define SPGC_CODEGEN_IR_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct processor {
  const char *name;        /* as triples write it */
  const char *default_cpu; /* what code for a file may run on */
  const char *example_cpu; /* for messages */
  const char *stack_pointer;
  const char *call; /* what mnemonics of calls begin with, and of no other instruction */
  unsigned integer_parameters, floating_point_parameters; /* registers of the C convention */
  unsigned thread_space; /* the address space relative to the thread pointer; 0: there is none */
  uint16_t elf_machine;
  uint32_t relocation_absolute, relocation_relative; /* ELF's, of 64 bits */
  void (*list_cpus)(void *vector);                   /* LLVM's; into a SmallVector of StringRef */
};

/* What triples are supported, for messages. */
extern const char spgc_supported_triples[];

/* The processor of a triple of Linux with pointers of 64 bits, whatever the vendor; NULL for every
 * other. The triple need not be normalised. */
const struct processor *spgc_processor_of_triple(const char *triple);

/* This machine's. */
const struct processor *spgc_processor_of_host(void);

/* The module's. Its triple must be supported, or empty, which is the machine that this runs on. */
const struct processor *spgc_processor_of_module(LLVMModuleRef module);

/* The processor with this number in ELF's headers, or NULL. */
const struct processor *spgc_processor_of_elf(uint16_t machine);

/* Whether LLVM has a processor of this family with this name. */
bool spgc_processor_has_cpu(const struct processor *processor, const char *name);

/* Initialises what this LLVM has for these processors. */
void spgc_processors_initialise(void);

/* Whether this LLVM generates code for x86-64, and so knows the options of that code generator. */
bool spgc_processors_have_x86_64(void);

#endif
