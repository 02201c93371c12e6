#include "codegen/jit/jit_lines.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/jit/jit_relocation.h"
#include "support/byte_cursor.h"

/* DWARF 5, 7.5.6 and 7.22. */
enum { FORM_DATA2 = 0x05, FORM_DATA4, FORM_DATA8, FORM_STRING, FORM_BLOCK, FORM_DATA1 = 0x0b };
enum { FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP };
enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };
enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS };
enum { MOST_FILES = 512, MOST_FORMATS = 16 };

struct file {
  const char *name;
  uint64_t folder;
};

struct reading {
  const struct jit_image *image;
  struct byte_cursor cursor;
  uint16_t version;
  uint8_t least_instruction, line_range, first_special;
  int8_t line_base;
  uint8_t operands[256]; /* their number, for each standard opcode */
  const char *folders[MOST_FILES];
  struct file files[MOST_FILES];
  size_t folder_count, file_count; /* those that do not fit the arrays are only counted */
  void (*visit)(void *context, const struct jit_line *line);
  void *context;
};

struct row {
  uintptr_t address;
  uint64_t file;
  int64_t line;
};

static const struct jit_section *find_section(const struct jit_image *image, const char *name) {
  for (uint64_t i = 1; i < image->elf.header_count; i++)
    if (strcmp(image->sections[i].name, name) == 0)
      return &image->sections[i];
  return NULL;
}

static const char *string_at(const struct jit_image *image, const char *section, uint64_t offset) {
  const struct jit_section *strings = find_section(image, section);
  const char *found =
      strings != NULL ? spgc_elf_string(&image->elf, &strings->header, offset) : NULL;
  return found != NULL ? found : "";
}

static const char *take_string(struct byte_cursor *cursor) {
  const char *string = (const char *)cursor->at;
  while (cursor_u8(cursor) != 0)
    ;
  return cursor->failed ? "" : string;
}

static void take_value(struct reading *reading, uint64_t form, const char **text,
                       uint64_t *number) {
  struct byte_cursor *cursor = &reading->cursor;
  if (form == FORM_STRING)
    *text = take_string(cursor);
  else if (form == FORM_LINE_STRP)
    *text = string_at(reading->image, ".debug_line_str", cursor_u32(cursor));
  else if (form == FORM_STRP)
    *text = string_at(reading->image, ".debug_str", cursor_u32(cursor));
  else if (form == FORM_UDATA)
    *number = cursor_unsigned(cursor);
  else if (form == FORM_DATA1)
    *number = cursor_u8(cursor);
  else if (form == FORM_DATA2)
    *number = cursor_u16(cursor);
  else if (form == FORM_DATA4 || form == FORM_DATA8 || form == FORM_DATA16)
    cursor_skip(cursor, form == FORM_DATA4 ? 4 : form == FORM_DATA8 ? 8 : 16);
  else if (form == FORM_BLOCK)
    cursor_skip(cursor, cursor_unsigned(cursor));
  else
    cursor->failed = true;
}

static void note_folder(struct reading *reading, const char *name) {
  if (reading->folder_count < MOST_FILES)
    reading->folders[reading->folder_count] = name;
  reading->folder_count++;
}

static void note_file(struct reading *reading, const char *name, uint64_t folder) {
  if (reading->file_count < MOST_FILES)
    reading->files[reading->file_count] = (struct file){name, folder};
  reading->file_count++;
}

/* Version 5 has the formats of an entry, then the entries. */
static void read_list(struct reading *reading, bool of_files) {
  struct byte_cursor *cursor = &reading->cursor;
  uint64_t kinds[MOST_FORMATS] = {0}, forms[MOST_FORMATS] = {0};
  uint8_t formats = cursor_u8(cursor);
  cursor->failed |= formats > MOST_FORMATS;
  for (uint8_t i = 0; i < formats && !cursor->failed; i++) {
    kinds[i] = cursor_unsigned(cursor);
    forms[i] = cursor_unsigned(cursor);
  }
  uint64_t count = cursor_unsigned(cursor);
  cursor->failed |= formats == 0 && count != 0; /* entries without bytes would never end */
  for (uint64_t entry = 0; entry < count && !cursor->failed; entry++) {
    const char *name = "";
    uint64_t folder = 0;
    for (uint8_t i = 0; i < formats; i++) {
      const char *text = NULL;
      uint64_t number = 0;
      take_value(reading, forms[i], &text, &number);
      if (kinds[i] == CONTENT_PATH && text != NULL)
        name = text;
      else if (kinds[i] == CONTENT_FOLDER)
        folder = number;
    }
    if (of_files)
      note_file(reading, name, folder);
    else
      note_folder(reading, name);
  }
}

/* Before version 5, an empty name ends a list. Numbers begin at 1; folder 0 is the compilation's,
 * which is in another section. */
static void read_old_lists(struct reading *reading) {
  struct byte_cursor *cursor = &reading->cursor;
  note_folder(reading, "");
  for (const char *name; *(name = take_string(cursor)) != '\0';)
    note_folder(reading, name);
  note_file(reading, "", 0);
  for (const char *name; *(name = take_string(cursor)) != '\0';) {
    note_file(reading, name, cursor_unsigned(cursor));
    cursor_unsigned(cursor);
    cursor_unsigned(cursor);
  }
}

static void read_header(struct reading *reading) {
  struct byte_cursor *cursor = &reading->cursor;
  reading->version = cursor_u16(cursor);
  cursor->failed |= reading->version < 2 || reading->version > 5;
  if (reading->version == 5)
    cursor_skip(cursor, 2);
  uint32_t header_bytes = cursor_u32(cursor);
  const uint8_t *program = cursor->at;
  reading->least_instruction = cursor_u8(cursor);
  if (reading->version >= 4)
    cursor_skip(cursor, 1);
  cursor_skip(cursor, 1);
  reading->line_base = (int8_t)cursor_u8(cursor);
  reading->line_range = cursor_u8(cursor);
  reading->first_special = cursor_u8(cursor);
  cursor->failed |= reading->line_range == 0 || reading->first_special == 0;
  for (unsigned i = 1; i < reading->first_special && !cursor->failed; i++)
    reading->operands[i] = cursor_u8(cursor);
  if (reading->version == 5) {
    read_list(reading, false);
    read_list(reading, true);
  } else if (!cursor->failed) {
    read_old_lists(reading);
  }
  cursor->failed |= header_bytes > (size_t)(cursor->end - program);
  if (!cursor->failed)
    cursor->at = program + header_bytes;
}

static void emit(struct reading *reading, const struct row *row) {
  struct jit_line line = {
      .address = row->address, .folder = "", .file = "", .line = (uint32_t)row->line};
  if (row->file < reading->file_count && row->file < MOST_FILES) {
    const struct file *file = &reading->files[row->file];
    line.file = file->name;
    if (file->folder < reading->folder_count && file->folder < MOST_FILES)
      line.folder = reading->folders[file->folder];
  }
  reading->visit(reading->context, &line);
}

static struct row first_row(void) {
  return (struct row){.file = 1, .line = 1};
}

static void run_extended(struct reading *reading, struct row *row) {
  struct byte_cursor *cursor = &reading->cursor;
  uint64_t length = cursor_unsigned(cursor);
  if (cursor->failed || length == 0 || length > (size_t)(cursor->end - cursor->at)) {
    cursor->failed = true;
    return;
  }
  const uint8_t *next = cursor->at + length;
  uint8_t opcode = cursor_u8(cursor);
  if (opcode == END_SEQUENCE)
    *row = first_row();
  else if (opcode == SET_ADDRESS && length == 1 + sizeof row->address)
    cursor_take(cursor, &row->address, sizeof row->address);
  cursor->at = next;
}

static void run_special(struct reading *reading, struct row *row, uint8_t opcode) {
  unsigned adjusted = opcode - reading->first_special;
  row->address += (uintptr_t)(adjusted / reading->line_range) * reading->least_instruction;
  row->line += reading->line_base + (int)(adjusted % reading->line_range);
}

static void run_standard(struct reading *reading, struct row *row, uint8_t opcode) {
  struct byte_cursor *cursor = &reading->cursor;
  switch (opcode) {
  case COPY: emit(reading, row); break;
  case ADVANCE_PC:
    row->address += (uintptr_t)cursor_unsigned(cursor) * reading->least_instruction;
    break;
  case ADVANCE_LINE: row->line += cursor_signed(cursor); break;
  case SET_FILE: row->file = cursor_unsigned(cursor); break;
  case CONST_ADD_PC:
    row->address += (uintptr_t)((255 - reading->first_special) / reading->line_range) *
                    reading->least_instruction;
    break;
  case FIXED_ADVANCE_PC: row->address += cursor_u16(cursor); break;
  default:
    for (uint8_t i = 0; i < reading->operands[opcode]; i++)
      cursor_unsigned(cursor);
  }
}

static void run_program(struct reading *reading) {
  struct row row = first_row();
  while (!reading->cursor.failed && reading->cursor.at < reading->cursor.end) {
    uint8_t opcode = cursor_u8(&reading->cursor);
    if (opcode >= reading->first_special) {
      run_special(reading, &row, opcode);
      emit(reading, &row);
    } else if (opcode == EXTENDED) {
      run_extended(reading, &row);
    } else {
      run_standard(reading, &row, opcode);
    }
  }
}

static void read_tables(struct reading *reading, const uint8_t *bytes, size_t size) {
  struct byte_cursor rest = {bytes, bytes + size, false};
  while (rest.at < rest.end && !rest.failed) {
    uint32_t length = cursor_u32(&rest);
    if (rest.failed || length > (size_t)(rest.end - rest.at))
      return;
    reading->cursor = (struct byte_cursor){rest.at, rest.at + length, false};
    reading->folder_count = reading->file_count = 0;
    read_header(reading);
    run_program(reading);
    cursor_skip(&rest, length);
  }
}

static void relocate(const struct jit_image *image, const Elf64_Shdr *table, uint8_t *bytes,
                     size_t size) {
  const struct jit_relocator *relocator = spgc_jit_relocator_of_host();
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
    Elf64_Rela entry;
    if (!spgc_elf_read(&image->elf, table->sh_offset + i * sizeof entry, &entry, sizeof entry) ||
        entry.r_offset > size)
      return;
    Elf64_Sym symbol = spgc_jit_image_symbol(image, ELF64_R_SYM(entry.r_info));
    const struct jit_section *section = spgc_jit_image_section_of(image, &symbol);
    const struct jit_fixup fixup = {.type = (uint32_t)ELF64_R_TYPE(entry.r_info),
                                    .at = bytes + entry.r_offset,
                                    .offset = entry.r_offset,
                                    .room = size - entry.r_offset,
                                    .symbol =
                                        symbol.st_value + (section != NULL ? section->address : 0),
                                    .addend = entry.r_addend};
    if (relocator->need(&fixup, true) == JIT_NEED_NOTHING)
      relocator->apply(&fixup);
  }
}

static void read_section(struct reading *reading, const struct jit_section *lines) {
  const struct jit_image *image = reading->image;
  size_t size = lines->header.sh_size;
  uint8_t *bytes = malloc(size + 1);
  if (bytes == NULL || !spgc_elf_read(&image->elf, lines->header.sh_offset, bytes, size)) {
    free(bytes);
    return;
  }
  for (uint64_t i = 1; i < image->elf.header_count; i++) {
    const Elf64_Shdr *table = &image->sections[i].header;
    if (table->sh_type == SHT_RELA && &image->sections[0] + table->sh_info == lines)
      relocate(image, table, bytes, size);
  }
  read_tables(reading, bytes, size);
  free(bytes);
}

void spgc_jit_lines_read(const struct jit_image *image,
                         void (*visit)(void *context, const struct jit_line *line), void *context) {
  const struct jit_section *lines = find_section(image, ".debug_line");
  struct reading *reading = lines != NULL ? calloc(1, sizeof *reading) : NULL;
  if (reading == NULL)
    return;
  reading->image = image;
  reading->visit = visit;
  reading->context = context;
  read_section(reading, lines);
  free(reading);
}
