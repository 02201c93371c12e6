/* For clobber lists, where compilers refuse the frame pointer. */
#ifndef SPGC_TESTS_PRESERVED_REGISTERS_H
#define SPGC_TESTS_PRESERVED_REGISTERS_H

#if defined(__x86_64__)
#define PRESERVED_REGISTERS_LISTED "rbx", "r12", "r13", "r14", "r15"
#elif defined(__aarch64__)
#define PRESERVED_REGISTERS_LISTED                                                                 \
  "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28"
#endif

#endif
