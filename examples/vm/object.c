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
const struct spgc_type function_type = SPGC_OBJECT_TYPE(
    struct function, SPGC_OFFSET(struct function, name), SPGC_OFFSET(struct function, constants));
static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, value), SPGC_OFFSET(struct cell, next));
/* The fixed part of a closure has a reference, and so has each element of its tail. */
static const uint32_t closure_function = SPGC_OFFSET(struct closure, function), cell_itself = 0;
const struct spgc_type closure_type = {.size = SPGC_OFFSET(struct closure, captured),
                                       .element_size = sizeof(cell *),
                                       .flags = SPGC_TYPE_TAIL,
                                       .reference_count = 1,
                                       .reference_offsets = &closure_function,
                                       .element_reference_count = 1,
                                       .element_reference_offsets = &cell_itself,
                                       .name = "closure"};
const struct spgc_type class_type =
    SPGC_OBJECT_TYPE(struct class, SPGC_OFFSET(struct class, name),
                     SPGC_OFFSET(struct class, methods), SPGC_OFFSET(struct class, init));
const struct spgc_type instance_type = SPGC_OBJECT_TYPE(
    struct instance, SPGC_OFFSET(struct instance, class), SPGC_OFFSET(struct instance, fields));
const struct spgc_type method_type = SPGC_OBJECT_TYPE(
    struct method, SPGC_OFFSET(struct method, self), SPGC_OFFSET(struct method, closure));
const struct spgc_type native_type = SPGC_DATA_TYPE(struct native);

static table *table_make(uint64_t length) {
  return spgc_allocate_array(&table_type, length);
}

static void copy_entries(table *from, table *to) {
  for (uint64_t i = 0; i < from->length; i++)
    if (from->at[i].key)
      to->at[table_find(to, from->at[i].key)] = from->at[i];
  to->count = from->count;
}

table *table_set(table *in, string *key, spgc_value value) {
  uint64_t i = table_find(in, key);
  if (in->at[i].key) {
    in->at[i].value = value;
    return in;
  }
  if (4 * (in->count + 1) > 3 * in->length) {
    table *larger = table_make(2 * in->length);
    copy_entries(in, larger);
    in = larger;
    i = table_find(in, key);
  }
  in->at[i].key = key;
  in->at[i].value = value;
  in->count++;
  return in;
}

/* A string's characters: in C's memory or in two objects. */
struct text {
  const char *characters;
  uint64_t length;
  string *first, *second;
};

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

SPGC_LEAF static uint64_t hash_more(uint64_t hash, char character) {
  return (hash ^ (unsigned char)character) * UINT64_C(0x100000001b3);
}

SPGC_LEAF static uint64_t hash_string(uint64_t hash, string *of) {
  for (uint64_t i = 0; of && i < of->length; i++)
    hash = hash_more(hash, of->text[i]);
  return hash;
}

SPGC_LEAF static uint64_t hash_of(const struct text *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < text->length; i++)
    hash = hash_more(hash, text->characters[i]);
  return hash_string(hash_string(hash, text->first), text->second) | 1;
}

SPGC_LEAF static uint64_t length_of(const struct text *text) {
  return text->length + (text->first ? text->first->length + text->second->length : 0);
}

SPGC_LEAF static bool begins_with(const char SPGC_MANAGED *text, string *part) {
  for (uint64_t i = 0; part && i < part->length; i++)
    if (text[i] != part->text[i])
      return false;
  return true;
}

SPGC_LEAF static bool is_text(string *known, const struct text *text) {
  if (known->length != length_of(text))
    return false;
  for (uint64_t i = 0; i < text->length; i++)
    if (known->text[i] != text->characters[i])
      return false;
  return begins_with(known->text, text->first) &&
         (!text->first || begins_with(known->text + text->first->length, text->second));
}

SPGC_LEAF static void copy_string(char SPGC_MANAGED *to, string *from) {
  for (uint64_t i = 0; from && i < from->length; i++)
    to[i] = from->text[i];
}

SPGC_LEAF static void set_text(string *to, const struct text *text) {
  for (uint64_t i = 0; i < text->length; i++)
    to->text[i] = text->characters[i];
  copy_string(to->text, text->first);
  if (text->first)
    copy_string(to->text + text->first->length, text->second);
}

/* The index of the string, or of the entry for it: the first cleared one on the way, if any. */
SPGC_LEAF static uint64_t strings_find(strings *in, const struct text *text, uint64_t hash) {
  uint64_t mask = in->length - 1, i = (hash >> 1) & mask, died = UINT64_MAX;
  for (; in->at[i].hash; i = (i + 1) & mask)
    if (!in->at[i].string)
      died = died == UINT64_MAX ? i : died;
    else if (in->at[i].hash == hash && is_text(in->at[i].string, text))
      return i;
  return died == UINT64_MAX ? i : died;
}

static void strings_set(strings *in, uint64_t i, string *added) {
  in->used += in->at[i].hash == 0;
  in->at[i].string = added;
  in->at[i].hash = added->hash;
}

/* To a table without cleared entries. */
static void strings_add(strings *in, string *added) {
  uint64_t mask = in->length - 1, i = (added->hash >> 1) & mask;
  while (in->at[i].hash)
    i = (i + 1) & mask;
  strings_set(in, i, added);
}

/* Leaves out entries whose strings have died, so the new one may be of the same length. */
static strings *strings_larger(strings *from) {
  uint64_t live = 0;
  for (uint64_t i = 0; i < from->length; i++)
    live += from->at[i].string != NULL;
  strings *to = spgc_allocate_array(&strings_type, from->length << (2 * live > from->length));
  for (uint64_t i = 0; i < from->length; i++)
    if (from->at[i].string)
      strings_add(to, from->at[i].string);
  return to;
}

void strings_start(void) {
  vm.strings = spgc_allocate_array(&strings_type, 64);
}

static string *intern_text(const struct text *text) {
  uint64_t hash = hash_of(text), length = length_of(text), i = strings_find(vm.strings, text, hash);
  if (vm.strings->at[i].string)
    return vm.strings->at[i].string;
  string *made = spgc_allocate_array(&string_type, length);
  made->hash = hash;
  set_text(made, text);
  if (4 * vm.strings->used < 3 * vm.strings->length) {
    strings_set(vm.strings, i, made);
  } else {
    strings *larger = strings_larger(vm.strings);
    vm.strings = larger;
    strings_add(larger, made);
  }
  return made;
}

string *intern(const char *characters, uint64_t length) {
  struct text text = {.characters = characters, .length = length};
  return intern_text(&text);
}

string *concatenate(string *a, string *b) {
  struct text text = {.first = a, .second = b};
  return intern_text(&text);
}

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

function *function_make(string *name, values *constants, const uint8_t *code) {
  function *made = spgc_allocate(&function_type);
  made->name = name;
  made->constants = constants;
  made->code = code;
  return made;
}

closure *closure_make(function *of, uint64_t captures) {
  closure *made = spgc_allocate_array(&closure_type, captures);
  made->function = of;
  return made;
}

cell *cell_make(uint64_t slot, cell *next) {
  cell *made = spgc_allocate(&cell_type);
  made->slot = slot;
  made->next = next;
  return made;
}

class *class_make(string *name) {
  class *made = spgc_allocate(&class_type);
  made->name = name;
  made->methods = table_make(8);
  return made;
}

instance *instance_make(class *of) {
  instance *made = spgc_allocate(&instance_type);
  made->class = of;
  made->fields = table_make(4);
  return made;
}

method *method_make(spgc_value self, closure *of) {
  method *made = spgc_allocate(&method_type);
  made->self = self;
  made->closure = of;
  return made;
}

native *native_make(spgc_value (*call)(const spgc_value *arguments), uint64_t arity) {
  native *made = spgc_allocate(&native_type);
  made->call = call;
  made->arity = arity;
  return made;
}

/* C's functions get a copy, because the object may move. */
static uint64_t copy_text(string *from, char *text, uint64_t bytes) {
  uint64_t length = from->length < bytes ? from->length : bytes - 1;
  for (uint64_t i = 0; i < length; i++)
    text[i] = from->text[i];
  text[length] = '\0';
  return length;
}

static uint64_t name_of(const char *kind, string *name, char *text, uint64_t bytes) {
  uint64_t length = (uint64_t)snprintf(text, bytes, "%s ", kind);
  return length + copy_text(name, text + length, bytes - length);
}

/* C is several times faster with integers. They have at most 14 digits, and -0 is not one. */
static uint64_t text_of_number(double number, char *text, uint64_t bytes) {
  bool is_integer = number > -1e14 && number < 1e14 && number == (double)(int64_t)number &&
                    (number != 0 || !signbit(number));
  int length = is_integer ? snprintf(text, bytes, "%" PRId64, (int64_t)number)
                          : snprintf(text, bytes, "%.14g", number);
  return (uint64_t)length;
}

uint64_t text_of(spgc_value value, char *text, uint64_t bytes) {
  if (spgc_value_is_double(value))
    return text_of_number(spgc_value_double(value), text, bytes);
  if (is(value, &string_type))
    return copy_text((string *)value, text, bytes);
  if (is(value, &closure_type))
    return name_of("function", ((closure *)value)->function->name, text, bytes);
  if (is(value, &class_type))
    return name_of("class", ((class *)value)->name, text, bytes);
  if (is(value, &instance_type))
    return name_of("instance of", ((instance *)value)->class->name, text, bytes);
  const char *word = value == NIL              ? "nil"
                     : value == TRUE           ? "true"
                     : value == FALSE          ? "false"
                     : is(value, &list_type)   ? "list"
                     : is(value, &method_type) ? "method"
                     : is(value, &native_type) ? "native function"
                                               : "function";
  return (uint64_t)snprintf(text, bytes, "%s", word);
}
