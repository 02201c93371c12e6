#include <inttypes.h>

#include "support/printable.h"
#include "tools/stackmap/print.h"

/* By DWARF number (System V ABI for x86-64, figure 3.36). */
static const char *const x86_64_registers[] = {
    "rax",  "rdx",  "rcx",  "rbx",  "rsi",  "rdi",   "rbp",   "rsp",   "r8",    "r9",    "r10",
    "r11",  "r12",  "r13",  "r14",  "r15",  "rip",   "xmm0",  "xmm1",  "xmm2",  "xmm3",  "xmm4",
    "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"};

struct text {
  FILE *out;
  const struct object_file *file;
  uint64_t section_position; /* its position in the file */
  const struct print_options *options;
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
};

/* AArch64's (DWARF for the Arm 64-bit Architecture, section 4.1): 31 general registers, the stack
 * pointer, and vectors from 64. */
enum { AARCH64_GENERAL = 31, AARCH64_VECTORS = 64, AARCH64_END = AARCH64_VECTORS + 32 };

static void print_register(const struct text *text, unsigned number) {
  enum processor processor = text->file->processor;
  if (processor == PROCESSOR_X86_64 && number < sizeof x86_64_registers / sizeof *x86_64_registers)
    fputs(x86_64_registers[number], text->out);
  else if (processor == PROCESSOR_AARCH64 && number == AARCH64_GENERAL)
    fputs("sp", text->out);
  else if (processor == PROCESSOR_AARCH64 && number < AARCH64_GENERAL)
    fprintf(text->out, "x%u", number);
  else if (processor == PROCESSOR_AARCH64 && number >= AARCH64_VECTORS && number < AARCH64_END)
    fprintf(text->out, "v%u", number - AARCH64_VECTORS);
  else
    fprintf(text->out, "R#%u", number);
}

static void print_location(const struct text *text, const struct spgc_stackmap_record *record,
                           uint32_t index) {
  struct spgc_stackmap_location location =
      spgc_stackmap_location_at(text->section, text->blob, record, index);
  fprintf(text->out, "%s ", location_kind_name(location.kind));
  switch (location.kind) {
  case SPGC_LOCATION_REGISTER: print_register(text, location.reg); break;
  case SPGC_LOCATION_DIRECT:
    print_register(text, location.reg);
    fprintf(text->out, " %+" PRId32, location.offset);
    break;
  case SPGC_LOCATION_INDIRECT:
    fputc('[', text->out);
    print_register(text, location.reg);
    fprintf(text->out, " %+" PRId32 "]", location.offset);
    break;
  case SPGC_LOCATION_CONSTANT: fprintf(text->out, "%" PRId32, location.offset); break;
  case SPGC_LOCATION_CONSTANT_INDEX:
    fprintf(text->out, "#%" PRIu32 " (%" PRIu64 ")", (uint32_t)location.offset,
            spgc_stackmap_constant_at(text->section, text->blob, (uint32_t)location.offset));
    break;
  }
  fprintf(text->out, ", size %u", location.size);
}

static void print_locations(const struct text *text, const struct spgc_stackmap_record *record,
                            const char *label, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    fprintf(text->out, "      %s %" PRIu32 ": ", label, i);
    print_location(text, record, first + i);
    fputc('\n', text->out);
  }
}

static void print_statepoint(const struct text *text, const struct spgc_stackmap_record *record,
                             const struct spgc_statepoint_layout *layout) {
  fprintf(text->out,
          "      statepoint: calling convention %u, flags %u, %" PRIu32 " deopt, %" PRIu32
          " pairs, %" PRIu32 " allocas\n",
          layout->calling_convention, layout->flags, layout->deopt_count, layout->pair_count / 2,
          layout->alloca_count);
  print_locations(text, record, "deopt", layout->first_deopt, layout->deopt_count);
  for (uint32_t i = 0; i < layout->pair_count; i += 2) {
    fprintf(text->out, "      pair %" PRIu32 ": base ", i / 2);
    print_location(text, record, layout->first_pair + i);
    fputs("; derived ", text->out);
    print_location(text, record, layout->first_pair + i + 1);
    fputc('\n', text->out);
  }
  print_locations(text, record, "alloca", layout->first_alloca, layout->alloca_count);
}

static void print_record(const struct text *text, const struct spgc_stackmap_record *record) {
  struct spgc_statepoint_layout layout;
  fprintf(text->out,
          "    record %" PRIu64 " at offset %" PRIu32 ": flags %u, %u locations, %u live-outs\n",
          record->id, record->instruction_offset, record->flags, record->location_count,
          record->live_out_count);
  if (text->options->statepoints &&
      spgc_stackmap_statepoint_layout(text->section, text->blob, record, &layout))
    print_statepoint(text, record, &layout);
  else
    print_locations(text, record, "location", 0, record->location_count);
  for (uint16_t i = 0; i < record->live_out_count; i++) {
    struct spgc_stackmap_live_out live_out = spgc_stackmap_live_out_at(text->section, record, i);
    fprintf(text->out, "      live-out %u: ", i);
    print_register(text, live_out.reg);
    fprintf(text->out, ", size %u\n", live_out.size);
  }
}

static void print_function(const struct text *text, const struct spgc_stackmap_function *function) {
  const char *name = object_file_function(text->file, text->section_position + function->position,
                                          function->address);
  fprintf(text->out, "  function %#" PRIx64, function->address);
  if (name != NULL) {
    fputc(' ', text->out);
    spgc_print_printable(text->out, name);
  }
  fputs(": stack size ", text->out);
  if (function->stack_size == UINT64_MAX)
    fputs("not constant", text->out);
  else
    fprintf(text->out, "%" PRIu64, function->stack_size);
  if (text->blob->version != 1)
    fprintf(text->out, ", %" PRIu64 " records", function->record_count);
  fputc('\n', text->out);
}

static void print_blob(const struct text *text, uint64_t *position) {
  const struct spgc_stackmap_blob *blob = text->blob;
  fprintf(text->out,
          " blob at byte %" PRIu64 ": version %u, %" PRIu32 " functions, %" PRIu32
          " constants, %" PRIu32 " records\n",
          blob->position, blob->version, blob->function_count, blob->constant_count,
          blob->record_count);
  for (uint32_t i = 0; i < blob->constant_count; i++)
    fprintf(text->out, "  constant %" PRIu32 ": %" PRIu64 "\n", i,
            spgc_stackmap_constant_at(text->section, blob, i));
  uint32_t records = 0;
  for (uint32_t i = 0; i < blob->function_count; i++) {
    struct spgc_stackmap_function function = spgc_stackmap_function_at(text->section, blob, i);
    print_function(text, &function);
    for (uint64_t k = 0; k < function.record_count; k++, records++) {
      struct spgc_stackmap_record record = next_record(text->section, blob, position);
      print_record(text, &record);
    }
  }
  if (records < blob->record_count)
    fputs("  records, of whichever of these functions:\n", text->out);
  for (; records < blob->record_count; records++) {
    struct spgc_stackmap_record record = next_record(text->section, blob, position);
    print_record(text, &record);
  }
}

void print_text(FILE *out, const char *path, const struct object_file *file,
                const struct print_options *options) {
  fprintf(out, "%s: %s, %s%s\n", path, file->format,
          file->byte_order == SPGC_BIG_ENDIAN ? "big endian" : "little endian",
          file->section_count == 0 ? ", no stack maps" : "");
  for (size_t i = 0; i < file->section_count; i++) {
    const struct spgc_stackmap_section section = file_section(file, i);
    struct spgc_stackmap_blob blob;
    const struct text text = {out, file, file->sections[i].position, options, &section, &blob};
    fprintf(out, "section of %" PRIu64 " bytes at byte %" PRIu64 " of the file\n", section.size,
            file->sections[i].position);
    for (uint64_t position = 0; next_blob(&section, &position, &blob);)
      print_blob(&text, &position);
  }
}
