#include "observe/snapshot/place_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gc/inspect.h"
#include "stackwalk/machine.h"

static struct spgc_listed_call *call_at(const struct spgc_root_list *list, size_t i) {
  return SPGC_MAPPED_AT(&list->calls, struct spgc_listed_call, i);
}

static void describe_with_line(struct spgc_listed_call *call, struct spgc_code_file *file) {
  struct spgc_code_line found = spgc_code_file_find(file, call->place.address);
  if (found.source == NULL)
    return;
  snprintf(call->text, sizeof call->text, "%s at %s:%" PRIu32,
           found.function != NULL ? found.function : call->place.function, found.source,
           found.line);
}

static void describe_file(struct spgc_root_list *list, size_t first) {
  const struct spgc_code_place *place = &call_at(list, first)->place;
  struct spgc_code_file *file = spgc_code_file_open(place->file, place->is_program);
  for (size_t i = first; i < spgc_root_list_calls(list); i++) {
    struct spgc_listed_call *call = call_at(list, i);
    if (strcmp(call->place.file, place->file) != 0)
      continue;
    if (file != NULL)
      describe_with_line(call, file);
    if (call->text[0] == '\0')
      spgc_code_describe(&call->place, call->text, sizeof call->text);
  }
  spgc_code_file_close(file);
}

static void describe_all(struct spgc_root_list *list) {
  for (size_t i = 0; i < spgc_root_list_calls(list); i++)
    if (call_at(list, i)->text[0] == '\0')
      describe_file(list, i);
}

static struct spgc_listed_variable *variable_at(const struct spgc_root_list *list, size_t i) {
  return SPGC_MAPPED_AT(&list->variables, struct spgc_listed_variable, i);
}

static void name_variable(struct spgc_listed_variable *variable, struct spgc_code_file *file,
                          const char *file_name) {
  uint64_t offset;
  const char *name = spgc_code_file_find_variable(file, variable->address, &offset);
  if (name == NULL)
    return;
  if (offset == 0)
    snprintf(variable->text, sizeof variable->text, "%.80s (%.50s)", name, file_name);
  else
    snprintf(variable->text, sizeof variable->text, "%.80s+%" PRIu64 " (%.50s)", name, offset,
             file_name);
}

static void name_variables(struct spgc_root_list *list, uint32_t number) {
  const struct spgc_code_place *place =
      &SPGC_MAPPED_AT(&list->files, struct spgc_listed_file, number)->place;
  struct spgc_code_file *file = spgc_code_file_open(place->file, place->is_program);
  const char *slash = strrchr(place->file, '/'), *name = slash != NULL ? slash + 1 : place->file;
  for (size_t i = 0; file != NULL && i < spgc_root_list_variables(list); i++)
    if (variable_at(list, i)->file == number)
      name_variable(variable_at(list, i), file, name);
  spgc_code_file_close(file);
}

static void name_all_variables(struct spgc_root_list *list) {
  for (uint32_t i = 0; i < SPGC_MAPPED_COUNT(&list->files, struct spgc_listed_file); i++)
    name_variables(list, i);
}

static void number_variables(struct spgc_root_list *list) {
  for (size_t i = 0; i < spgc_root_list_variables(list); i++) {
    struct spgc_listed_variable *variable = variable_at(list, i);
    if (variable->text[0] == '\0')
      snprintf(variable->text, sizeof variable->text, "variable %" PRIu32, variable->number);
  }
}

const char *spgc_variable_name(const struct spgc_root_list *list, size_t variable) {
  return variable_at(list, variable)->text;
}

static void find_in_files(void *list) {
  describe_all(list);
  name_all_variables(list);
}

/* Without the thread, places have names from the loader, and variables have numbers. */
void spgc_place_names_find(struct spgc_root_list *list) {
  if (spgc_root_list_calls(list) == 0 && spgc_root_list_variables(list) == 0)
    return;
  if (spgc_code_lines_exist())
    spgc_line_thread_call(find_in_files, list);
  for (size_t i = 0; i < spgc_root_list_calls(list); i++)
    if (call_at(list, i)->text[0] == '\0')
      spgc_code_describe(&call_at(list, i)->place, call_at(list, i)->text,
                         sizeof call_at(list, i)->text);
  number_variables(list);
}

size_t spgc_place_name(const struct spgc_root_list *list, size_t number,
                       char text[SPGC_PLACE_NAME_BYTES]) {
  const struct spgc_root_place *place =
      SPGC_MAPPED_AT(&list->places, struct spgc_root_place, number);
  const char *call = call_at(list, place->call)->text;
  int length;
  if (place->reg != SPGC_PLACE_IN_SLOT)
    length = snprintf(text, SPGC_PLACE_NAME_BYTES, "%s (%s)", call, register_name(place->reg));
  else
    length = snprintf(text, SPGC_PLACE_NAME_BYTES, "%s (%s%+" PRId64 ")", call,
                      register_name(DWARF_STACK_POINTER), place->offset);
  return length < 0                       ? 0
         : length < SPGC_PLACE_NAME_BYTES ? (size_t)length
                                          : SPGC_PLACE_NAME_BYTES - 1;
}
