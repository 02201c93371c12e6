#include "support/elf_notes.h"

#include <stdbool.h>
#include <string.h>

#include "spgc/module.h"

_Static_assert(sizeof(struct spgc_module_note) == 24, "a name and a description of words of 4");

struct spgc_notes spgc_notes_of(uintptr_t base, const ElfW(Phdr) * segment) {
  const char *at = (const char *)(base + segment->p_vaddr);
  return (struct spgc_notes){at, at + segment->p_memsz,
                             segment->p_align == sizeof(uint64_t) ? sizeof(uint64_t)
                                                                  : sizeof(uint32_t)};
}

static size_t padded(size_t size, size_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

static bool is_ours(const ElfW(Nhdr) * note, uint32_t type) {
  const struct spgc_module_note *own = (const struct spgc_module_note *)(const void *)note;
  return note->n_type == type && note->n_namesz == sizeof SPGC_MODULE_NOTE_NAME &&
         note->n_descsz == sizeof own->record &&
         memcmp(own->name, SPGC_MODULE_NOTE_NAME, sizeof SPGC_MODULE_NOTE_NAME) == 0;
}

static const ElfW(Nhdr) * next_note(struct spgc_notes *notes) {
  const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)notes->at;
  size_t left = (size_t)(notes->end - notes->at), room = left - sizeof *note;
  if (left < sizeof *note || note->n_namesz > room || note->n_descsz > room)
    return NULL;
  size_t name_end = padded(sizeof *note + note->n_namesz, notes->alignment);
  size_t size = padded(name_end + note->n_descsz, notes->alignment);
  notes->at = size < left ? notes->at + size : notes->end;
  return note;
}

void *spgc_notes_next(struct spgc_notes *notes, uint32_t type) {
  const ElfW(Nhdr) * note;
  while ((note = next_note(notes)) != NULL)
    if (is_ours(note, type)) {
      const struct spgc_module_note *own = (const struct spgc_module_note *)(const void *)note;
      return (void *)((uintptr_t)&own->record + (uintptr_t)(intptr_t)own->record);
    }
  return NULL;
}
