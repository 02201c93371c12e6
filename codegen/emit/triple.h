/* The targets that code can be generated for. */
#ifndef SPGC_CODEGEN_EMIT_TRIPLE_H
#define SPGC_CODEGEN_EMIT_TRIPLE_H

#include <stdbool.h>

/* What is supported, for messages. */
extern const char spgc_supported_triples[];

/* True for x86-64 Linux with pointers of 64 bits, whatever the vendor. The triple need not be
 * normalised. */
bool spgc_triple_is_supported(const char *triple);

#endif
