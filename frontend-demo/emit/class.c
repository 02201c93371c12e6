#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

static const struct lox_function *own_initializer(const struct lox_class *class_) {
  for (uint32_t i = class_->method_count; i > 0; i--) {
    if (class_->methods[i - 1]->kind == LOX_INITIALIZER)
      return class_->methods[i - 1];
  }
  return NULL;
}

static LLVMValueRef emit_method_table(struct lox_unit_emitter *unit,
                                      const struct lox_class *class_) {
  LLVMValueRef *rows =
      lox_arena_allocate(unit->arena, (class_->method_count + 1) * sizeof(LLVMValueRef));
  for (uint32_t i = 0; i < class_->method_count; i++) {
    const struct lox_function *method = class_->methods[i];
    struct lox_record record;
    lox_record_begin(&record, &unit->abi);
    LOX_POINTER(&record, lox_class_method, name, lox_unit_name(unit, method->name));
    LOX_POINTER(&record, lox_class_method, function, unit->functions[method->index].descriptor);
    rows[i] = lox_record_end(&record, sizeof(struct lox_class_method));
  }
  return lox_record_array(unit->module, rows, class_->method_count, "methods");
}

static LLVMValueRef emit_field_names(struct lox_unit_emitter *unit,
                                     const struct lox_class *class_) {
  LLVMValueRef *names =
      lox_arena_allocate(unit->arena, (class_->field_count + 1) * sizeof(LLVMValueRef));
  for (uint32_t i = 0; i < class_->field_count; i++)
    names[i] = lox_unit_name(unit, class_->fields[i]);
  return lox_record_array(unit->module, names, class_->field_count, "fields");
}

static LLVMValueRef emit_site(struct lox_unit_emitter *unit, const struct lox_class *class_) {
  const struct lox_class_code *code = &unit->classes[class_->index];
  const struct lox_function *initializer = code->initializer;
  const struct lox_string *name = &class_->name->text;
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  LOX_POINTER(&record, lox_class_site, name,
              lox_record_text(unit->module, name->bytes, name->length));
  LOX_POINTER(&record, lox_class_site, methods, emit_method_table(unit, class_));
  LOX_INT64(&record, lox_class_site, method_count, class_->method_count);
  LOX_POINTER(&record, lox_class_site, fields, emit_field_names(unit, class_));
  LOX_INT64(&record, lox_class_site, field_count, class_->field_count);
  LOX_POINTER(&record, lox_class_site, initializer,
              initializer ? unit->functions[initializer->index].descriptor : NULL);
  LOX_POINTER(&record, lox_class_site, construct, code->construct);
  LLVMValueRef site = lox_record_end(&record, sizeof(struct lox_class_site));
  return lox_record_constant(unit->module, site, "class");
}

void lox_declare_class(struct lox_unit_emitter *unit, const struct lox_class *class_) {
  struct lox_class_code *code = &unit->classes[class_->index];
  code->initializer = own_initializer(class_);
  if (code->initializer)
    code->construct = lox_add_code(&unit->abi, unit->module, 1 + code->initializer->arity,
                                   "construct.", class_->name->text.bytes);
}

static LLVMValueRef check_superclass(struct lox_emitter *emitter, const struct lox_class *class_,
                                     struct lox_value superclass) {
  LLVMValueRef boxed = lox_box(emitter, superclass);
  if (class_->superclass) {
    int line = class_->superclass->line;
    lox_call_runtime(emitter, line, LOX_ENTRY_CHECK_SUPERCLASS, &boxed);
    lox_define_local(emitter, class_->superclass_variable, superclass, line);
  }
  return boxed;
}

static bool is_replaced(const struct lox_class *class_, uint32_t index) {
  for (uint32_t later = index + 1; later < class_->method_count; later++) {
    if (class_->methods[later]->name == class_->methods[index]->name)
      return true;
  }
  return false;
}

/* The runtime has made the closures of methods that capture nothing. */
static void store_method(struct lox_emitter *emitter, const struct lox_class *class_,
                         uint32_t index, LLVMValueRef class_object) {
  const struct lox_function *method = class_->methods[index];
  if (method->capture_count == 0 || is_replaced(class_, index))
    return;
  LLVMValueRef closure = lox_make_closure(emitter, method, method->line);
  lox_fill_closure(emitter, method, closure);
  LLVMValueRef words[] = {class_object, lox_abi_word(emitter->abi, index)};
  LLVMValueRef offset =
      lox_call_runtime(emitter, method->line, LOX_ENTRY_CLASS_METHOD_OFFSET, words);
  lox_store_at(emitter, closure, class_object, offset);
}

void lox_emit_class(struct lox_emitter *emitter, const struct lox_class *class_,
                    struct lox_value superclass) {
  struct lox_unit_emitter *unit = emitter->source->unit;
  LLVMValueRef words[] = {emit_site(unit, class_), check_superclass(emitter, class_, superclass)};
  LLVMValueRef class_object = lox_call_runtime(emitter, class_->line, LOX_ENTRY_CLASS_MAKE, words);
  lox_define(emitter, &class_->target, lox_any(class_object), class_->line);
  for (uint32_t i = 0; i < class_->method_count; i++) {
    unit->functions[class_->methods[i]->index].definitions_before = lox_definitions_before(emitter);
    store_method(emitter, class_, i, class_object);
  }
}

void lox_record_type(struct lox_record *record, size_t base, uint32_t word_count, LLVMValueRef name,
                     uint32_t kind, uint32_t call_key, LLVMValueRef code,
                     LLVMValueRef field_names) {
  size_t gc = base + offsetof(struct lox_type, gc);
  uint32_t size = (uint32_t)(sizeof(struct spgc_ref) * (1 + word_count));
  lox_record_int32(record, gc + offsetof(struct spgc_type, size), size);
  lox_record_int32(record, gc + offsetof(struct spgc_type, element_size), 0);
  lox_record_int32(record, gc + offsetof(struct spgc_type, flags),
                   word_count ? SPGC_TYPE_VALUES : 0);
  lox_record_int32(record, gc + offsetof(struct spgc_type, reference_count), 0);
  lox_record_pointer(record, gc + offsetof(struct spgc_type, reference_offsets), NULL);
  lox_record_int32(record, gc + offsetof(struct spgc_type, element_reference_count), 0);
  lox_record_int32(record, gc + offsetof(struct spgc_type, field_names), LOX_FIELD_NAMES);
  lox_record_pointer(record, gc + offsetof(struct spgc_type, element_reference_offsets), NULL);
  lox_record_pointer(record, gc + offsetof(struct spgc_type, name), name);
  lox_record_int32(record, base + offsetof(struct lox_type, kind), kind);
  lox_record_int32(record, base + offsetof(struct lox_type, call_key), call_key);
  lox_record_pointer(record, base + offsetof(struct lox_type, code), code);
  lox_record_pointer(record, base + offsetof(struct lox_type, field_names), field_names);
}
