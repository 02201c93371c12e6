#include "tarn.h"

#include <stdio.h>

#include "collect.h"

const struct spgc_type string_type = SPGC_DATA_ARRAY_TYPE(struct string, text);

/* Leaves out keys that have died. */
static table *table_copy(table *from, uint64_t length) {
  table *to = spgc_allocate_array(from->type, length);
  for (uint64_t i = 0; i < from->length; i++)
    if (from->at[i].key) {
      to->at[table_find(to, from->at[i].key)] = from->at[i];
      to->used++;
    }
  return to;
}

table *table_set(table *in, string *key, spgc_value value) {
  uint64_t i = table_find(in, key);
  if (!in->at[i].key && 4 * in->used >= 3 * in->length) {
    collect_if_due();
    in = table_copy(in, 2 * in->length);
    i = table_find(in, key);
  }
  in->used += !in->at[i].key;
  in->at[i].key = key;
  in->at[i].value = value;
  return in;
}

/* The table of all strings. Its keys are weak: when a string dies, its entry keeps the value alone,
 * which is the string's hash. */
static const struct spgc_type strings_type =
    SPGC_WEAK_ARRAY_TYPE(struct table, at, SPGC_OFFSET(struct entry, key));

/* C's functions, for characters in an object, whose address they do not keep. */
SPGC_LEAF int compare_text(const char SPGC_MANAGED *a, const char *b, size_t) __asm__("memcmp");
SPGC_LEAF void copy_text(char *to, const char SPGC_MANAGED *from, size_t) __asm__("memcpy");
SPGC_LEAF void set_text(char SPGC_MANAGED *to, const char *from, size_t) __asm__("memcpy");

SPGC_LEAF static uint64_t hash_of(const char *text, uint64_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return hash >> 32;
}

/* The index of the string, or of the entry for it, which no string has used. */
SPGC_LEAF static uint64_t strings_find(table *in, const char *text, uint64_t length,
                                       uint64_t hash) {
  uint64_t i = hash & (in->length - 1);
  for (; in->at[i].value; i = (i + 1) & (in->length - 1))
    if (in->at[i].value == spgc_value_from_integer((int64_t)hash) && in->at[i].key &&
        in->at[i].key->length == length && compare_text(in->at[i].key->text, text, length) == 0)
      break;
  return i;
}

string *intern(const char *text, uint64_t length) {
  if (!vm.strings)
    vm.strings = spgc_allocate_array(&strings_type, 64);
  if (4 * vm.strings->used >= 3 * vm.strings->length) {
    vm.strings = table_copy(vm.strings, vm.strings->length);
    if (2 * vm.strings->used > vm.strings->length)
      vm.strings = table_copy(vm.strings, 2 * vm.strings->length);
  }
  uint64_t hash = hash_of(text, length), i = strings_find(vm.strings, text, length, hash);
  if (vm.strings->at[i].value)
    return vm.strings->at[i].key;
  string *made = spgc_allocate_array(&string_type, length);
  made->hash = hash;
  set_text(made->text, text, length);
  vm.strings->at[i] = (struct entry){made, spgc_value_from_integer((int64_t)hash)};
  vm.strings->used++;
  return made;
}

uint64_t write_text(uint64_t at, spgc_value value) {
  static const char *const constants[] = {"nil", "false", "true"};
  static uint64_t capacity;
  uint64_t length = is(value, &string_type) ? ((string *)value)->length : 32;
  if (at + length >= capacity)
    vm.text = resize(vm.text, capacity = 2 * (at + length) + 1, 1);
  char *to = vm.text + at;
  if (is(value, &string_type))
    copy_text(to, ((string *)value)->text, length);
  else if (spgc_value_is_double(value))
    length = (uint64_t)snprintf(to, length, "%.14g", spgc_value_double(value));
  else
    length = (uint64_t)snprintf(to, length, "%s",
                                spgc_value_is_constant(value)
                                    ? constants[spgc_value_constant(value)]
                                    : ((object *)value)->type->name + sizeof "struct");
  to[length] = '\0';
  return at + length;
}
