/* Damaged objects, and memory exhausted at every step.
 *
 * SPGC_TEST_MUTATIONS is the number of random objects (100,000 by default), SPGC_TEST_SEED the
 * seed, which is printed; SPGC_TEST_KEEP a file with the object being loaded. */
#include <elf.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spgc/jit.h"
#include "spgc/thread.h"
#include "support/random.h"
#include "tests/integration/jit_template.h"
#include "tests/integration/jit_texts.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

static struct jit_template alone, sharing, space;

static int64_t between(int64_t n) {
  return 0;
}

static void start(void) {
  jit_world_start("limit=64m,poison=on,verify=full");
  jit_world_define("between", (void *)between);
  jit_template_compile(&alone, jit_text_alone);
  jit_template_compile(&sharing, jit_text_sharing);
  jit_template_compile(&space, "@space = global [1048576 x i8] zeroinitializer\n");
}

static void stop(void) {
  jit_world_stop();
  jit_template_free(&alone);
  jit_template_free(&sharing);
  jit_template_free(&space);
}

struct edited {
  char *bytes;
  size_t size;
  Elf64_Ehdr *file;
  Elf64_Shdr *sections;
  Elf64_Sym *symbols;
  size_t symbol_count;
  const char *strings;
};

static Elf64_Shdr *section_named(const struct edited *edited, const char *name) {
  const char *names = edited->bytes + edited->sections[edited->file->e_shstrndx].sh_offset;
  for (unsigned i = 1; i < edited->file->e_shnum; i++)
    if (strcmp(names + edited->sections[i].sh_name, name) == 0)
      return &edited->sections[i];
  ck_abort_msg("no section %s", name);
}

static struct edited copy(const struct jit_template *template) {
  struct edited edited = {.bytes = malloc(template->size), .size = template->size};
  memcpy(edited.bytes, template->bytes, template->size);
  edited.file = (Elf64_Ehdr *)(void *)edited.bytes;
  edited.sections = (Elf64_Shdr *)(void *)(edited.bytes + edited.file->e_shoff);
  const Elf64_Shdr *symbols = section_named(&edited, ".symtab");
  edited.symbols = (Elf64_Sym *)(void *)(edited.bytes + symbols->sh_offset);
  edited.symbol_count = symbols->sh_size / sizeof(Elf64_Sym);
  edited.strings = edited.bytes + edited.sections[symbols->sh_link].sh_offset;
  return edited;
}

static Elf64_Sym *symbol_named(const struct edited *edited, const char *name) {
  for (size_t i = 1; i < edited->symbol_count; i++)
    if (strcmp(edited->strings + edited->symbols[i].st_name, name) == 0)
      return &edited->symbols[i];
  ck_abort_msg("no symbol %s", name);
}

static Elf64_Rela *relocations_of(const struct edited *edited, const char *section) {
  char name[64];
  snprintf(name, sizeof name, ".rela%s", section);
  return (Elf64_Rela *)(void *)(edited->bytes + section_named(edited, name)->sh_offset);
}

static void retype(Elf64_Rela *relocation, uint32_t type) {
  relocation->r_info = ELF64_R_INFO(ELF64_R_SYM(relocation->r_info), type);
}

static enum spgc_result load(const char *bytes, size_t size, struct spgc_jit_object **object,
                             struct spgc_error *error) {
  return spgc_jit_add(jit_world_jit, LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "it"),
                      object, error);
}

static void edit_file_class(struct edited *e) {
  e->file->e_ident[EI_CLASS] = ELFCLASS32;
}
static void edit_byte_order(struct edited *e) {
  e->file->e_ident[EI_DATA] = ELFDATA2MSB;
}
static void edit_kind(struct edited *e) {
  e->file->e_type = ET_DYN;
}
static void edit_machine(struct edited *e) {
  e->file->e_machine = EM_S390;
}
static void edit_names(struct edited *e) {
  e->file->e_shstrndx = 60000;
}
static void edit_section_count(struct edited *e) {
  e->file->e_shnum = 60000;
}
static void edit_alignment(struct edited *e) {
  section_named(e, ".text")->sh_addralign = 24;
}
static void edit_huge_alignment(struct edited *e) {
  section_named(e, ".text")->sh_addralign = UINT64_C(1) << 63;
}
static void edit_huge_size(struct edited *e) {
  section_named(e, ".bss")->sh_size = UINT64_MAX;
}
static void edit_offset(struct edited *e) {
  section_named(e, ".text")->sh_offset = UINT64_MAX - 8;
}
static void edit_frames_without_bytes(struct edited *e) {
  Elf64_Shdr *frames = section_named(e, ".eh_frame");
  frames->sh_type = SHT_NOBITS;
  frames->sh_size = UINT64_MAX - 2;
}
static void edit_second_frames(struct edited *e) {
  section_named(e, ".rodata")->sh_name = section_named(e, ".eh_frame")->sh_name;
}
static void edit_null_section(struct edited *e) {
  section_named(e, ".text")->sh_type = SHT_NULL;
  section_named(e, ".text")->sh_offset = UINT64_C(1) << 40;
}
static void edit_second_symbols(struct edited *e) {
  section_named(e, ".strtab")->sh_type = SHT_SYMTAB;
}
static void edit_writable_code(struct edited *e) {
  section_named(e, ".text")->sh_flags |= SHF_WRITE;
}
static void edit_constructors(struct edited *e) {
  section_named(e, ".rodata")->sh_type = SHT_INIT_ARRAY;
}
static void edit_symbol_place(struct edited *e) {
  symbol_named(e, "function_00000")->st_value = 1 << 20;
}
static void edit_symbol_section(struct edited *e) {
  symbol_named(e, "function_00000")->st_shndx = 999;
}
static void edit_symbol_without_memory(struct edited *e) {
  symbol_named(e, "function_00000")->st_shndx =
      (uint16_t)(section_named(e, ".symtab") - e->sections);
}
static void edit_symbol_name(struct edited *e) {
  symbol_named(e, "function_00000")->st_name = UINT32_MAX;
}
static void edit_empty_name(struct edited *e) {
  symbol_named(e, "function_00000")->st_name = 0;
}
static void edit_thread_local(struct edited *e) {
  symbol_named(e, "between")->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
}
static void edit_ifunc(struct edited *e) {
  symbol_named(e, "function_00000")->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
}
static void edit_many_sections(struct edited *e) {
  symbol_named(e, "function_00000")->st_shndx = SHN_XINDEX;
}
static void edit_same_names(struct edited *e) {
  Elf64_Sym *second = symbol_named(e, "between");
  *second = *symbol_named(e, "function_00000");
  second->st_value += 4; /* one instruction of AArch64 */
}
static void edit_relocation_type(struct edited *e) {
  retype(relocations_of(e, ".text"), 250);
}
static void edit_relocation_place(struct edited *e) {
  relocations_of(e, ".text")->r_offset = UINT64_MAX - 3;
}
static void edit_relocation_at_end(struct edited *e) {
  relocations_of(e, ".text")->r_offset = section_named(e, ".text")->sh_size - 1;
}
static void edit_relocation_symbol(struct edited *e) {
  relocations_of(e, ".text")->r_info |= UINT64_C(0xFFFFFF) << 32;
}
static void edit_addend(struct edited *e) {
  relocations_of(e, ".eh_frame")->r_addend = INT64_C(1) << 40;
}
static void edit_compact_relocations(struct edited *e) {
  section_named(e, ".rela.text")->sh_type = 0x40000014;
}
static void edit_relocated_section(struct edited *e) {
  section_named(e, ".rela.text")->sh_info = 50000;
}
static void edit_frame_length(struct edited *e) {
  uint32_t length = 100000;
  memcpy(e->bytes + section_named(e, ".eh_frame")->sh_offset, &length, sizeof length);
}
static void edit_frame_end(struct edited *e) {
  section_named(e, ".eh_frame")->sh_size -= 3;
}
static void edit_frame_function(struct edited *e) {
  relocations_of(e, ".eh_frame")->r_addend = 4096;
}
static void edit_stackmap_version(struct edited *e) {
  e->bytes[section_named(e, ".llvm_stackmaps")->sh_offset] = 9;
}
static void edit_record_version(struct edited *e) {
  e->bytes[section_named(e, "spgc_modules")->sh_offset] = 99;
}
static void edit_record_size(struct edited *e) {
  section_named(e, "spgc_modules")->sh_size -= 8;
}
static void edit_record_stackmap(struct edited *e) {
  relocations_of(e, "spgc_modules")->r_addend = 8;
}
static void edit_record_roots(struct edited *e) {
  relocations_of(e, "spgc_modules")[1].r_addend = 1 << 16;
}
static void edit_record_name(struct edited *e) {
  relocations_of(e, "spgc_modules")[2].r_addend = 1 << 16;
}

static const struct edit {
  const char *name;
  void (*edit)(struct edited *edited);
  enum spgc_result result;
  const char *part; /* of the message */
} edits[] = {
    {"of 32 bits", edit_file_class, SPGC_ERROR_MALFORMED, "not a 64-bit ELF object"},
    {"big endian", edit_byte_order, SPGC_ERROR_MALFORMED, "not a 64-bit ELF object"},
    {"a shared library", edit_kind, SPGC_ERROR_MALFORMED, "that can be linked"},
    {"another processor", edit_machine, SPGC_ERROR_UNSUPPORTED, "another processor"},
    {"no names of sections", edit_names, SPGC_ERROR_MALFORMED, "not a 64-bit ELF object"},
    {"too few sections", edit_section_count, SPGC_ERROR_MALFORMED, "not a 64-bit ELF object"},
    {"an odd alignment", edit_alignment, SPGC_ERROR_MALFORMED, ".text is aligned to 24 bytes"},
    {"a huge alignment", edit_huge_alignment, SPGC_ERROR_NO_MEMORY, ".text has"},
    {"a huge section", edit_huge_size, SPGC_ERROR_NO_MEMORY, ".bss has"},
    {"bytes behind the end", edit_offset, SPGC_ERROR_MALFORMED, "section 2 "},
    {"frames without bytes", edit_frames_without_bytes, SPGC_ERROR_MALFORMED, ".eh_frame"},
    {"frames twice", edit_second_frames, SPGC_ERROR_UNSUPPORTED, "another such section"},
    {"a section of no kind", edit_null_section, SPGC_ERROR_MALFORMED, "symbol "},
    {"symbols twice", edit_second_symbols, SPGC_ERROR_MALFORMED, "another symbol table"},
    {"writable code", edit_writable_code, SPGC_ERROR_UNSUPPORTED, ".text"},
    {"constructors", edit_constructors, SPGC_ERROR_UNSUPPORTED, "call the function"},
    {"a symbol outside", edit_symbol_place, SPGC_ERROR_MALFORMED, "symbol "},
    {"a symbol nowhere", edit_symbol_section, SPGC_ERROR_MALFORMED, "symbol "},
    {"a symbol without memory", edit_symbol_without_memory, SPGC_ERROR_MALFORMED, "symbol "},
    {"a broken name", edit_symbol_name, SPGC_ERROR_MALFORMED, "symbol "},
    {"an empty name", edit_empty_name, SPGC_ERROR_MALFORMED, "symbol "},
    {"a thread-local variable", edit_thread_local, SPGC_ERROR_UNSUPPORTED, "between"},
    {"an ifunc", edit_ifunc, SPGC_ERROR_UNSUPPORTED, "function_00000"},
    {"too many sections", edit_many_sections, SPGC_ERROR_UNSUPPORTED, "function_00000"},
    {"a name twice", edit_same_names, SPGC_ERROR_MALFORMED, "function_00000 is defined twice"},
    {"an unknown relocation", edit_relocation_type, SPGC_ERROR_UNSUPPORTED, "relocation 250"},
    {"a relocation outside", edit_relocation_place, SPGC_ERROR_MALFORMED, "section .text"},
    {"a relocation at the end", edit_relocation_at_end, SPGC_ERROR_MALFORMED, "section .text"},
    {"a relocation of nothing", edit_relocation_symbol, SPGC_ERROR_MALFORMED, "section .text"},
    {"a distance", edit_addend, SPGC_ERROR_UNSUPPORTED, "too far away"},
    {"relocations in another form", edit_compact_relocations, SPGC_ERROR_UNSUPPORTED, ".text"},
    {"relocations of no section", edit_relocated_section, SPGC_ERROR_MALFORMED, "relocations"},
    {"a long frame", edit_frame_length, SPGC_ERROR_MALFORMED, "cut off"},
    {"a cut off frame", edit_frame_end, SPGC_ERROR_MALFORMED, "cut off"},
    {"a foreign frame", edit_frame_function, SPGC_ERROR_MALFORMED, "function outside of it"},
    {"an unknown stack map", edit_stackmap_version, SPGC_ERROR_UNSUPPORTED, "version"},
    {"another version", edit_record_version, SPGC_ERROR_UNSUPPORTED, "version 99"},
    {"a short record", edit_record_size, SPGC_ERROR_MALFORMED, "48 bytes"},
    {"a record of another map", edit_record_stackmap, SPGC_ERROR_MALFORMED, "its stack map"},
    {"a record of no roots", edit_record_roots, SPGC_ERROR_MALFORMED, "global roots"},
    {"a record without a name", edit_record_name, SPGC_ERROR_MALFORMED, "its name"},
};

static size_t heap_bytes(void) {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static void load_and_remove(const struct jit_template *template) {
  struct spgc_jit_object *object = NULL;
  struct spgc_error error;
  ck_assert_ok(load(template->bytes, template->size, &object, &error), error);
  jit_world_remove(object);
}

static void require_whole(void) {
  load_and_remove(&alone);
}

START_TEST(an_edited_object_is_an_error_that_names_its_part) {
  start();
  require_whole();
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    struct spgc_error error = {0};
    struct edited edited = copy(&alone);
    edits[i].edit(&edited);
    enum spgc_result result = load(edited.bytes, edited.size, NULL, &error);
    ck_assert_msg(result == edits[i].result && strstr(error.message, edits[i].part) != NULL,
                  "%s: %s: %s", edits[i].name, spgc_result_name(result), error.message);
    free(edited.bytes);
    require_whole();
  }
  stop();
}
END_TEST

static void edit_size(struct edited *e) {
  symbol_named(e, "function_00000")->st_size = UINT64_MAX;
}
static void edit_to_end(struct edited *e) {
  Elf64_Sym *symbol = symbol_named(e, "function_00000");
  symbol->st_value = section_named(e, ".text")->sh_size;
}

static void edit_frames_to_writable(struct edited *e) {
  section_named(e, ".eh_frame")->sh_flags |= SHF_WRITE;
}
static void edit_record_to_constant(struct edited *e) {
  section_named(e, "spgc_modules")->sh_flags &= ~(Elf64_Xword)SHF_WRITE;
}
static void edit_stackmap_to_code(struct edited *e) {
  Elf64_Shdr *maps = section_named(e, ".llvm_stackmaps");
  maps->sh_flags = (maps->sh_flags & ~(Elf64_Xword)SHF_WRITE) | SHF_EXECINSTR;
}

START_TEST(odd_but_legal_objects_are_loaded) {
  void (*const legal[])(struct edited *) = {edit_size, edit_to_end, edit_frames_to_writable,
                                            edit_record_to_constant, edit_stackmap_to_code};
  start();
  for (size_t i = 0; i < sizeof legal / sizeof *legal; i++) {
    struct spgc_error error = {0};
    struct spgc_jit_object *object = NULL;
    struct edited edited = copy(&alone);
    legal[i](&edited);
    ck_assert_ok(load(edited.bytes, edited.size, &object, &error), error);
    jit_world_remove(object);
    free(edited.bytes);
  }
  jit_world_remove(jit_world_load_text("", 0));
  jit_world_remove(jit_world_load_text("define void @empty() {\n  unreachable\n}\n", 2));
  stop();
}
END_TEST

START_TEST(every_beginning_of_an_object_is_an_error) {
  struct spgc_error error;
  start();
  for (size_t size = 0; size < sharing.size; size++)
    ck_assert_int_ne(load(sharing.bytes, size, NULL, &error), SPGC_OK);
  require_whole();
  stop();
}
END_TEST

/* ---- Random damage ---- */

static struct spgc_random randomness;

static uint64_t draw(uint64_t below) {
  return spgc_random_next(&randomness) % below;
}

static uint64_t draw_number(void) {
  static const uint64_t edges[] = {
      0,      1,          2,          7,         8,          0xff,           0x7fff,
      0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 40};
  return draw(2) == 0 ? edges[draw(sizeof edges / sizeof *edges)] : draw(4096);
}

static size_t draw_place(const struct edited *edited, size_t width) {
  const Elf64_Shdr *section = &edited->sections[draw(edited->file->e_shnum)];
  switch (draw(4)) {
  case 0:
    return edited->file->e_shoff + draw(edited->file->e_shnum) * sizeof *section +
           draw(sizeof *section / width) * width;
  case 1:
    return (size_t)((const char *)&edited->symbols[draw(edited->symbol_count)] - edited->bytes) +
           draw(sizeof(Elf64_Sym) / width) * width;
  case 2:
    if (section->sh_type != SHT_NOBITS && section->sh_size > width)
      return section->sh_offset + draw(section->sh_size - width);
    return draw(sizeof(Elf64_Ehdr) - width);
  default: return draw(edited->size - width);
  }
}

static void damage(struct edited *edited) {
  char *whole = malloc(edited->size);
  memcpy(whole, edited->bytes, edited->size);
  struct edited before = *edited;
  before.bytes = whole;
  before.file = (Elf64_Ehdr *)(void *)whole;
  before.sections = (Elf64_Shdr *)(void *)(whole + before.file->e_shoff);
  before.symbols = (Elf64_Sym *)(void *)(whole + ((char *)edited->symbols - edited->bytes));
  for (uint64_t times = 1 + draw(4); times > 0; times--) {
    size_t width = (size_t)1 << draw(4), place = draw_place(&before, width);
    uint64_t number = draw_number();
    memcpy(edited->bytes + place, &number, width);
  }
  free(whole);
}

static void keep(const char *path, const struct edited *edited) {
  FILE *file = path != NULL ? fopen(path, "wb") : NULL;
  if (file == NULL)
    return;
  fwrite(edited->bytes, edited->size, 1, file);
  fclose(file);
}

START_TEST(damaged_objects_are_loaded_or_refused) {
  unsigned count = jit_world_number("SPGC_TEST_MUTATIONS", 100000), loaded = 0;
  uint64_t seed = jit_world_number("SPGC_TEST_SEED", (unsigned)getpid());
  printf("SPGC_TEST_SEED=%" PRIu64 "\n", seed);
  fflush(stdout);
  randomness.state = seed;
  start();
  for (unsigned i = 0; i < count; i++) {
    struct spgc_error error = {0};
    struct spgc_jit_object *object = NULL;
    struct edited edited = copy(draw(2) == 0 ? &alone : &sharing);
    damage(&edited);
    keep(getenv("SPGC_TEST_KEEP"), &edited);
    enum spgc_result result = load(edited.bytes, edited.size, &object, &error);
    ck_assert_msg((result == SPGC_OK) == (object != NULL) &&
                      (result == SPGC_OK) == (error.message[0] == '\0'),
                  "seed %" PRIu64 ", object %u: %s: %s", seed, i, spgc_result_name(result),
                  error.message);
    loaded += object != NULL;
    if (object != NULL)
      jit_world_remove(object);
    free(edited.bytes);
  }
  printf("%u of %u damaged objects were loaded\n", loaded, count);
  ck_assert_uint_lt(loaded, count);
  require_whole();
  stop();
}
END_TEST

/* ---- Memory that runs out ---- */

/* --wrap redirects the libraries' calls here. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);

static int calls_until_refusal = -1; /* negative: refuses none */
static bool refuses_all;

static bool refuses(void) {
  return refuses_all || (calls_until_refusal >= 0 && calls_until_refusal-- == 0);
}

void *__wrap_malloc(size_t bytes) {
  return refuses() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  return refuses() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return refuses() ? NULL : __real_aligned_alloc(alignment, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  return refuses() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes) {
  return refuses() ? NULL : __real_reallocarray(memory, count, bytes);
}

/* Refuses the first allocation, then the second, until the object is loaded. Returns their
 * number. */
static unsigned load_under_refusals(const struct jit_template *template,
                                    struct spgc_jit_object **object) {
  for (unsigned refused = 0;; refused++) {
    struct spgc_error error = {0};
    LLVMMemoryBufferRef buffer = jit_template_copy(template, 0, 0);
    calls_until_refusal = (int)refused;
    enum spgc_result result = spgc_jit_add(jit_world_jit, buffer, object, &error);
    bool was_refused = calls_until_refusal < 0;
    calls_until_refusal = -1;
    if (result == SPGC_OK)
      return refused;
    ck_assert_msg(was_refused && result == SPGC_ERROR_NO_MEMORY, "%s: %s", spgc_result_name(result),
                  error.message);
  }
}

static void load_and_remove_under_refusals(void) {
  const struct jit_template *templates[] = {&alone, &sharing};
  for (int i = 0; i < 2; i++) {
    struct spgc_jit_object *object = NULL;
    ck_assert_uint_gt(load_under_refusals(templates[i], &object), 10);
    ck_assert_ptr_nonnull(jit_world_lookup("function_00000"));
    jit_world_remove(object);
  }
  load_and_remove(&space); /* a megabyte of data makes the JIT free removed data */
  load_and_remove(&space);
}

START_TEST(memory_may_run_out_at_every_step) {
  start();
  load_and_remove_under_refusals();
  size_t before = heap_bytes();
  for (int i = 0; i < 4; i++)
    load_and_remove_under_refusals();
  ck_assert_uint_le(heap_bytes(), before + 8192);
  stop();
}
END_TEST

START_TEST(removing_needs_no_memory) {
  enum { OBJECTS = 1000 };
  static struct spgc_jit_object *objects[OBJECTS];
  struct spgc_error error = {0};
  start();
  for (unsigned i = 0; i < OBJECTS; i++)
    ck_assert_ok(spgc_jit_add(jit_world_jit,
                              jit_template_copy(i % 2 == 0 ? &alone : &sharing, i, 0), &objects[i],
                              &error),
                 error);
  refuses_all = true;
  enum spgc_result result = SPGC_OK;
  for (unsigned i = 0; i < OBJECTS && result == SPGC_OK; i++)
    result = spgc_jit_remove(jit_world_jit, objects[i * 377 % OBJECTS], &error);
  refuses_all = false;
  ck_assert_ok(result, error);
  require_whole();
  stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-jit-damaged");
  TCase *edited = tcase_create("edited");
  tcase_set_timeout(edited, 120);
  tcase_add_test(edited, an_edited_object_is_an_error_that_names_its_part);
  tcase_add_test(edited, odd_but_legal_objects_are_loaded);
  tcase_add_test(edited, every_beginning_of_an_object_is_an_error);
  suite_add_tcase(suite, edited);
  TCase *damaged = tcase_create("damaged");
  tcase_set_timeout(damaged, 0);
  tcase_add_test(damaged, damaged_objects_are_loaded_or_refused);
  suite_add_tcase(suite, damaged);
  TCase *memory = tcase_create("memory");
  tcase_set_timeout(memory, 120);
  tcase_add_test(memory, memory_may_run_out_at_every_step);
  tcase_add_test(memory, removing_needs_no_memory);
  suite_add_tcase(suite, memory);
  return suite_run(suite);
}
