#include "object.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "vm.h"

const struct spgc_type string_type = SPGC_DATA_ARRAY_TYPE(struct string, text);
static const struct spgc_type values_type = SPGC_ARRAY_TYPE(struct values, at, 0);
const struct spgc_type list_type = SPGC_OBJECT_TYPE(struct list, SPGC_OFFSET(struct list, items));
static const struct spgc_type table_type = SPGC_ARRAY_TYPE(
    struct table, at, SPGC_OFFSET(struct entry, key), SPGC_OFFSET(struct entry, value));
/* The fixed part of a closure has a reference, and so has each element of its tail. */
static const uint32_t closure_function = SPGC_OFFSET(struct closure, function), cell_itself = 0;
const struct spgc_type closure_type = {.size = SPGC_OFFSET(struct closure, captured),
                                       .element_size = sizeof(cell *),
                                       .flags = SPGC_TYPE_TAIL,
                                       .reference_count = 1,
                                       .reference_offsets = &closure_function,
                                       .element_reference_count = 1,
                                       .element_reference_offsets = &cell_itself,
                                       .name = "struct closure"};
const struct spgc_type class_type =
    SPGC_OBJECT_TYPE(struct class, SPGC_OFFSET(struct class, methods));
const struct spgc_type instance_type = SPGC_OBJECT_TYPE(
    struct instance, SPGC_OFFSET(struct instance, class), SPGC_OFFSET(struct instance, fields));
const struct spgc_type native_type = SPGC_DATA_TYPE(struct native);

table *table_set(table *in, string *key, spgc_value value) {
  uint64_t i = table_find(in, key);
  if (!in->at[i].key && 4 * (in->count + 1) > 3 * in->length) {
    table *larger = spgc_allocate_array(&table_type, 2 * in->length);
    for (uint64_t j = 0; j < in->length; j++)
      if (in->at[j].key)
        larger->at[table_find(larger, in->at[j].key)] = in->at[j];
    larger->count = in->count;
    in = larger;
    i = table_find(in, key);
  }
  in->count += !in->at[i].key;
  in->at[i].key = key;
  in->at[i].value = value;
  return in;
}

/* ---- Strings ---- */

struct known {
  string *string;
  uint64_t hash; /* not 0 once the entry was used */
};

/* All strings, by their hashes. Its elements are weak: when a string dies, its entry keeps the hash
 * alone. */
struct strings {
  const struct spgc_type *type;
  uint64_t length;
  uint64_t used;
  struct known at[];
};
static const struct spgc_type strings_type =
    SPGC_WEAK_ARRAY_TYPE(struct strings, at, SPGC_OFFSET(struct known, string));

void strings_start(void) {
  vm.strings = spgc_allocate_array(&strings_type, 64);
}

SPGC_LEAF static uint64_t hash_of(const char *text, uint64_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return hash | 1;
}

SPGC_LEAF static bool is_text(string *known, const char *text) {
  uint64_t i = 0;
  while (i < known->length && known->text[i] == text[i])
    i++;
  return i == known->length;
}

/* The index of the string, or of the entry for it: the first cleared one on the way, if any. */
SPGC_LEAF static uint64_t strings_find(strings *in, const char *text, uint64_t length,
                                       uint64_t hash) {
  uint64_t mask = in->length - 1, i = (hash >> 1) & mask, died = UINT64_MAX;
  for (; in->at[i].hash; i = (i + 1) & mask)
    if (!in->at[i].string)
      died = died == UINT64_MAX ? i : died;
    else if (in->at[i].hash == hash && in->at[i].string->length == length &&
             is_text(in->at[i].string, text))
      return i;
  return died == UINT64_MAX ? i : died;
}

/* Leaves out entries whose strings have died, so the new one may be of the same length. */
static strings *strings_without_dead(strings *from) {
  uint64_t live = 0;
  for (uint64_t i = 0; i < from->length; i++)
    live += from->at[i].string != NULL;
  strings *to = spgc_allocate_array(&strings_type, from->length << (2 * live > from->length));
  for (uint64_t i = 0; i < from->length; i++)
    if (from->at[i].string) {
      uint64_t mask = to->length - 1, at = (from->at[i].hash >> 1) & mask;
      while (to->at[at].hash)
        at = (at + 1) & mask;
      to->at[at] = from->at[i];
      to->used++;
    }
  return to;
}

/* A leaf, so that the loop does not become a memcpy into an object, which would have a barrier. */
SPGC_LEAF static void set_text(string *to, const char *from) {
  for (uint64_t i = 0; i < to->length; i++)
    to->text[i] = from[i];
}

string *intern(const char *text, uint64_t length) {
  if (4 * vm.strings->used >= 3 * vm.strings->length)
    vm.strings = strings_without_dead(vm.strings);
  uint64_t hash = hash_of(text, length), i = strings_find(vm.strings, text, length, hash);
  if (vm.strings->at[i].string)
    return vm.strings->at[i].string;
  string *made = spgc_allocate_array(&string_type, length);
  made->hash = hash;
  set_text(made, text);
  vm.strings->used += vm.strings->at[i].hash == 0;
  vm.strings->at[i].string = made;
  vm.strings->at[i].hash = hash;
  return made;
}

SPGC_LEAF static void copy_text(string *from, char *to) {
  for (uint64_t i = 0; i < from->length; i++)
    to[i] = from->text[i];
}

const char *text_in_c(string *first, string *second) {
  static char *text;
  static uint64_t capacity;
  uint64_t length = first->length + (second ? second->length : 0);
  if (length >= capacity) {
    capacity = 2 * length + 1;
    text = resize(text, capacity, 1);
  }
  copy_text(first, text);
  if (second)
    copy_text(second, text + first->length);
  text[length] = '\0';
  return text;
}

/* ---- Other objects ---- */

list *list_make(uint64_t count) {
  list *made = spgc_allocate(&list_type);
  made->items = spgc_allocate_array(&values_type, count < 4 ? 4 : count);
  made->count = count;
  return made;
}

void list_push(list *to, spgc_value value) {
  if (to->count == to->items->length) {
    values *larger = spgc_allocate_array(&values_type, 2 * to->count);
    for (uint64_t i = 0; i < to->count; i++)
      larger->at[i] = to->items->at[i];
    to->items = larger;
  }
  to->items->at[to->count] = value;
  to->count++;
}

closure *closure_make(function *of) {
  closure *made = spgc_allocate_array(&closure_type, of->captures);
  made->function = of;
  return made;
}

class *class_make(void) {
  class *made = spgc_allocate(&class_type);
  made->methods = spgc_allocate_array(&table_type, 8);
  return made;
}

instance *instance_make(class *of) {
  instance *made = spgc_allocate(&instance_type);
  made->class = of;
  made->fields = spgc_allocate_array(&table_type, 4);
  return made;
}

/* C is several times faster with integers. They have at most 14 digits, and -0 is not one. */
static int text_of_number(double number, char *text, uint64_t bytes) {
  bool is_integer = number > -1e14 && number < 1e14 && number == (double)(int64_t)number &&
                    (number != 0 || !signbit(number));
  return is_integer ? snprintf(text, bytes, "%" PRId64, (int64_t)number)
                    : snprintf(text, bytes, "%.14g", number);
}

uint64_t text_of(spgc_value value, char *text, uint64_t bytes) {
  static const char *const constants[] = {"nil", "false", "true"};
  if (spgc_value_is_double(value))
    return (uint64_t)text_of_number(spgc_value_double(value), text, bytes);
  const char *word = spgc_value_is_constant(value)
                         ? constants[spgc_value_constant(value)]
                         : ((object *)value)->type->name + sizeof "struct";
  return (uint64_t)snprintf(text, bytes, "%s", word);
}
