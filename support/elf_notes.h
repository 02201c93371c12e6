/* This project's ELF notes, named "spgc". Each leads to a place in its file. */
#ifndef SPGC_SUPPORT_ELF_NOTES_H
#define SPGC_SUPPORT_ELF_NOTES_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_notes {
  const char *at, *end; /* not read yet */
  size_t alignment;     /* names and descriptions have it */
};

/* A PT_NOTE segment in a file loaded at `base`. */
struct spgc_notes spgc_notes_of(uintptr_t base, const ElfW(Phdr) * segment);

/* Returns the place that the type's next note leads to, or NULL. */
void *spgc_notes_next(struct spgc_notes *notes, uint32_t type);

#endif
