#include "gc/state/runtime.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "spgc/module.h"
#include "support/elf_notes.h"

struct spgc_runtime spgc_runtime;

pthread_mutex_t spgc_locks[SPGC_LOCK_COUNT] = {
    [0 ... SPGC_LOCK_COUNT - 1] = PTHREAD_MUTEX_INITIALIZER,
};

/* A copy of this library in the process. */
struct copy {
  const atomic_bool *started;
};

enum { COPY_NOTE = 2 };

/* Not static, because assembly refers to it. */
extern const struct copy spgc_copy_here;
const struct copy spgc_copy_here __attribute__((used)) = {&spgc_runtime.started};

/* A struct spgc_module_note, with a distance that C cannot express. */
__asm__(".pushsection .note.spgc, \"a\", %note\n\t"
        ".balign 4\n\t"
        ".long 5, 4, 2\n\t"
        ".asciz \"spgc\"\n\t"
        ".balign 4\n\t"
        ".long spgc_copy_here - .\n\t"
        ".popsection");
_Static_assert(sizeof SPGC_MODULE_NOTE_NAME == 5 && COPY_NOTE == 2, "the numbers above");

static bool segment_has_started(uintptr_t base, const ElfW(Phdr) * segment) {
  struct spgc_notes notes = spgc_notes_of(base, segment);
  for (const struct copy *copy; (copy = spgc_notes_next(&notes, COPY_NOTE)) != NULL;)
    /* `started` is null in a file that is not relocated yet. */
    if (copy != &spgc_copy_here && copy->started != NULL && *copy->started)
      return true;
  return false;
}

static int look(struct dl_phdr_info *object, size_t info_size, void *text) {
  for (unsigned i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_NOTE &&
        segment_has_started(object->dlpi_addr, &object->dlpi_phdr[i])) {
      snprintf(text, SPGC_COPY_TEXT_BYTES,
               "; %.160s has another copy of this library, whose heap is started: link the "
               "executable and its libraries with libspgc.so, not with archives "
               "(docs/embedding.md)",
               object->dlpi_name[0] != '\0' ? object->dlpi_name : "the executable");
      return 1;
    }
  return 0;
}

const char *spgc_copies_explain(char text[SPGC_COPY_TEXT_BYTES]) {
  text[0] = '\0';
  if (!spgc_runtime.started)
    dl_iterate_phdr(look, text);
  return text;
}
