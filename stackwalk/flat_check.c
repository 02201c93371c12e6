#include "stackwalk/flat_check.h"

#include <inttypes.h>

#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

struct checker {
  const unsigned char *section;
  struct flat_view view;
  struct spgc_error *error;
};

typedef enum spgc_result check_part(const struct checker *checker);

static enum spgc_result malformed(const struct checker *checker, const void *at, const char *what) {
  uint64_t position = (uint64_t)((const unsigned char *)at - checker->section);
  return spgc_error_set(checker->error, SPGC_ERROR_MALFORMED, position,
                        "flat stack map, byte %" PRIu64 ": %s", position, what);
}

static bool is_run(uint32_t first, uint32_t count, uint32_t all) {
  return first <= all && count <= all - first;
}

static enum spgc_result check_functions(const struct checker *checker) {
  const struct spgc_flat_header *header = checker->view.header;
  uint64_t end = 0;
  uint32_t call = 0, point = 0;
  for (uint32_t i = 0; i < header->function_count; i++) {
    const struct spgc_flat_function *function = &checker->view.function[i];
    if (function->offset < end || !is_run(function->offset, function->size, header->code_bytes))
      return malformed(checker, function,
                       "a function outside the code, or not after the one before");
    if (function->first_call < call || function->first_call > header->call_count ||
        function->first_point < point || function->first_point > header->point_count ||
        (i == 0 && function->first_call + function->first_point != 0))
      return malformed(checker, function,
                       "a function whose records do not follow those of the one before");
    end = (uint64_t)function->offset + function->size;
    call = function->first_call;
    point = function->first_point;
  }
  if (header->function_count == 0 && header->call_count + (uint64_t)header->point_count != 0)
    return malformed(checker, header, "records that belong to no function");
  return SPGC_OK;
}

/* Each call must return into its own function, and calls must ascend. */
static enum spgc_result check_calls(const struct checker *checker) {
  const struct spgc_flat_header *header = checker->view.header;
  const struct spgc_flat_function *functions = checker->view.function;
  uint32_t owner = 0;
  for (uint32_t i = 0; i < header->call_count; i++) {
    const struct spgc_flat_call *call = &checker->view.call[i];
    while (owner + 1 < header->function_count && functions[owner + 1].first_call <= i)
      owner++;
    uint32_t inside = call->offset - functions[owner].offset;
    if (call->offset <= functions[owner].offset || inside > functions[owner].size ||
        call->call_size > inside)
      return malformed(checker, call, "a call outside its function");
    if (i > 0 && call->offset <= call[-1].offset)
      return malformed(checker, call, "a call that does not come after the one before");
    if (call->frame >= header->frame_count || call->id >= header->constant_count)
      return malformed(checker, call, "a call whose frame or ID does not exist");
    if ((call->flags & ~(SPGC_STATEPOINT_GC_TRANSITION | SPGC_STATEPOINT_DEOPT_LIVE_IN)) != 0)
      return malformed(checker, call, "unknown flags");
  }
  return SPGC_OK;
}

static enum spgc_result check_location(const struct checker *checker,
                                       const struct spgc_flat_base *base) {
  bool in_register = base->flags == SPGC_FLAT_IN_REGISTER;
  bool found =
      register_is_callee_saved(base->reg) || (base->reg == DWARF_STACK_POINTER && !in_register);
  bool one = base->flags == 0 || base->flags == SPGC_FLAT_VARIABLE ||
             (in_register && base->words == 1 && base->offset == 0);
  return found && one && base->words != 0 ? SPGC_OK : malformed(checker, base, "invalid location");
}

static enum spgc_result check_bases(const struct checker *checker,
                                    const struct spgc_flat_frame *frame) {
  const struct spgc_flat_base *bases = checker->view.base + frame->first_base;
  for (uint16_t i = 0; i < frame->base_count; i++) {
    if (check_location(checker, &bases[i]) != SPGC_OK)
      return SPGC_ERROR_MALFORMED;
    if (i > 0 && (location_compare(flat_bases(&bases[i - 1]), flat_bases(&bases[i])) >= 0 ||
                  location_clash(flat_bases(&bases[i - 1]), flat_bases(&bases[i]))))
      return malformed(checker, &bases[i],
                       "a base that is not after the one before, or overlaps it");
  }
  return SPGC_OK;
}

static bool meets_a_base(const struct spgc_flat_base *bases, uint16_t count,
                         const struct spgc_flat_base *location) {
  for (uint16_t i = 0; i < count; i++)
    if (location_equal(flat_bases(&bases[i]), flat_bases(location)) ||
        location_clash(flat_bases(&bases[i]), flat_bases(location)))
      return true;
  return false;
}

static enum spgc_result check_derived(const struct checker *checker,
                                      const struct spgc_flat_frame *frame) {
  const struct spgc_flat_base *bases = checker->view.base + frame->first_base;
  const struct spgc_flat_derived *derived = checker->view.derived + frame->first_derived;
  for (uint16_t i = 0; i < frame->derived_count; i++) {
    const struct spgc_flat_derived *each = &derived[i];
    if (check_location(checker, &each->location) != SPGC_OK)
      return SPGC_ERROR_MALFORMED;
    if (each->base >= frame->base_count || each->location.words != bases[each->base].words ||
        each->rewritten > 1 || (i > 0 && each[-1].base > each->base))
      return malformed(checker, each,
                       "a derived location without its base, or not in the order of base indices");
    if (each->rewritten && meets_a_base(bases, frame->base_count, &each->location))
      return malformed(checker, each, "a rewritten derived location that overlaps a base");
    for (uint16_t k = 0; k < i && each->rewritten; k++)
      if (derived[k].rewritten && meets_a_base(&derived[k].location, 1, &each->location))
        return malformed(checker, each, "derived locations that overlap");
  }
  return SPGC_OK;
}

static enum spgc_result check_frames(const struct checker *checker) {
  const struct spgc_flat_header *header = checker->view.header;
  for (uint32_t i = 0; i < header->frame_count; i++) {
    const struct spgc_flat_frame *frame = &checker->view.frame[i];
    if (!is_run(frame->first_base, frame->base_count, header->base_count) ||
        !is_run(frame->first_derived, frame->derived_count, header->derived_count) ||
        !is_run(frame->first_deopt, frame->deopt_count, header->deopt_count))
      return malformed(checker, frame, "a frame whose locations do not exist");
    enum spgc_result result = check_bases(checker, frame);
    if (result == SPGC_OK)
      result = check_derived(checker, frame);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

static enum spgc_result check_deopts(const struct checker *checker) {
  for (uint32_t i = 0; i < checker->view.header->deopt_count; i++) {
    const struct spgc_flat_deopt *deopt = &checker->view.deopt[i];
    if (deopt->kind < SPGC_LOCATION_REGISTER || deopt->kind > SPGC_LOCATION_CONSTANT)
      return malformed(checker, deopt, "a deopt value of an unknown kind");
  }
  return SPGC_OK;
}

static enum spgc_result check_points(const struct checker *checker) {
  const struct spgc_flat_header *header = checker->view.header;
  for (uint32_t i = 0; i < header->point_count; i++) {
    const struct spgc_flat_point *point = &checker->view.point[i];
    if (point->offset > header->code_bytes || (i > 0 && point->offset < point[-1].offset) ||
        point->id >= header->constant_count ||
        !is_run(point->first_location, point->location_count, header->location_count) ||
        !is_run(point->first_live_out, point->live_out_count, header->live_out_count))
      return malformed(checker, point,
                       "a point outside the code, not sorted, or whose parts do not exist");
  }
  for (uint32_t i = 0; i < header->location_count; i++) {
    const struct spgc_flat_location *location = &checker->view.location[i];
    if (location->kind < SPGC_LOCATION_REGISTER || location->kind > SPGC_LOCATION_CONSTANT_INDEX ||
        (location->kind == SPGC_LOCATION_CONSTANT_INDEX &&
         (uint32_t)location->offset >= header->constant_count))
      return malformed(checker, location,
                       "a location of an unknown kind, or of a constant that does not exist");
  }
  return SPGC_OK;
}

/* No array is read before the header has been checked. */
static enum spgc_result check_header(const struct checker *checker, size_t left) {
  const struct spgc_flat_header *header = checker->view.header;
  if (header->version != SPGC_FLAT_VERSION)
    return spgc_error_set(checker->error, SPGC_ERROR_UNSUPPORTED,
                          (uint64_t)((const unsigned char *)header - checker->section),
                          "flat stack map of version %" PRIu32 "; this is version %d",
                          header->version, SPGC_FLAT_VERSION);
  if (header->bytes != checker->view.bytes || header->bytes > left)
    return malformed(checker, header,
                     "the arrays do not fill the map, or the map extends beyond its section");
  uintptr_t start = flat_code_start(header);
  if (start == 0 || start + header->code_bytes < start)
    return malformed(checker, &header->code, "the code's addresses overflow");
  return SPGC_OK;
}

enum spgc_result spgc_flat_check(const void *section, size_t size, size_t position,
                                 struct spgc_error *error) {
  const unsigned char *start = section;
  struct checker checker = {.section = start, .error = error};
  if (position % SPGC_FLAT_ALIGNMENT != 0 || (uintptr_t)start % SPGC_FLAT_ALIGNMENT != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, position,
                          "a flat stack map that is not aligned");
  if (!flat_is_flat(start + position, size - position))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, position, "no flat stack map at byte %zu",
                          position);
  checker.view = flat_view_of(start + position);
  static check_part *const checks[] = {check_functions, check_calls, check_deopts, check_frames,
                                       check_points};
  enum spgc_result result = check_header(&checker, size - position);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && result == SPGC_OK; i++)
    result = checks[i](&checker);
  return result;
}
