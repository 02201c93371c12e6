/* C++17: the collector's resources as objects with destructors, and its errors as exceptions.
 *
 *   spgc::run([] {
 *     spgc::scope scope;
 *     spgc::handle list(spgc::allocate(cell_type));
 *     spgc::handle cell(spgc::allocate(cell_type));
 *     spgc::store(cell.get(), offsetof(struct cell, next), list.get());
 *   });
 *
 * Header only: it wraps the functions of the C headers, whose comments also hold here. A reference
 * in a variable goes stale at the next safepoint (spgc/ref.h); a handle keeps it.
 *
 * Exceptions may pass through all frames of the library. spgc_leave (spgc/protect.h) runs no
 * destructors. It ends scopes but no other resources, so do not leave frames that have attachments,
 * global handles, pins or heaps.
 *
 * Not for managed C++ (spgc/managed.h). */
#ifndef SPGC_SPGC_HPP
#define SPGC_SPGC_HPP

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/main.h"
#include "spgc/pin.h"
#include "spgc/thread.h"

namespace spgc {

/* A result other than SPGC_OK. what() is the message. */
class error : public std::runtime_error {
public:
  explicit error(const spgc_error &from)
      : std::runtime_error(from.message), code_(from.code), position_(from.position) {
  }
  spgc_result code() const noexcept {
    return code_;
  }
  std::uint64_t position() const noexcept {
    return position_;
  }

private:
  spgc_result code_;
  std::uint64_t position_;
};

namespace detail {

/* Throws unless `call`, which is given a place for the error, returns SPGC_OK. */
template <class Call> void check(Call call) {
  spgc_error error{};
  if (call(&error) != SPGC_OK)
    throw spgc::error(error);
}

/* A function object as a function and an argument of C, and its result. */
template <class Function> class callback {
public:
  using result = std::invoke_result_t<Function &>;
  static_assert(!std::is_reference_v<result>, "the function returns a reference; return a pointer");

  explicit callback(Function &function) : function_(function) {
  }

  static void run(void *argument) {
    auto *self = static_cast<callback *>(argument);
    if constexpr (std::is_void_v<result>)
      self->function_();
    else
      self->value_.emplace(self->function_());
  }

  static void *run_and_return(void *argument) {
    run(argument);
    return nullptr;
  }

  result take() {
    if constexpr (!std::is_void_v<result>)
      return std::move(*value_);
  }

private:
  Function &function_;
  std::optional<std::conditional_t<std::is_void_v<result>, char, result>> value_;
};

} // namespace detail

/* The default options, with those of a text applied (spgc_options_parse). */
inline spgc_options options(const char *text = "") {
  spgc_options made;
  spgc_options_default(&made);
  if (*text != '\0')
    detail::check([&](spgc_error *error) { return spgc_options_parse(&made, text, error); });
  return made;
}

/* The started heap. All threads must have detached when it ends. */
class heap {
public:
  heap() {
    detail::check([](spgc_error *error) { return spgc_start(nullptr, error); });
  }
  explicit heap(const spgc_options &options) {
    detail::check([&](spgc_error *error) { return spgc_start(&options, error); });
  }
  ~heap() {
    spgc_stop();
  }
  heap(const heap &) = delete;
  heap &operator=(const heap &) = delete;
};

/* The calling thread, attached. The same thread must destroy it, in the function that constructed
 * it or in one called from there. `base` is that function's frame, unless another is given
 * (spgc_thread_attach). */
class attachment {
public:
  explicit attachment(void *base = __builtin_frame_address(0)) {
    detail::check([&](spgc_error *error) { return spgc_thread_attach(base, error); });
  }
  ~attachment() {
    spgc_thread_detach();
  }
  attachment(const attachment &) = delete;
  attachment &operator=(const attachment &) = delete;
};

/* Starts the heap, attaches the thread, calls `function`, detaches and stops (spgc_main). Returns
 * the function's result. An exception passes on when the heap is stopped. */
template <class Function> auto run(const spgc_options &options, Function function) {
  detail::callback<Function> callback(function);
  detail::check([&](spgc_error *error) {
    return spgc_main(&options, detail::callback<Function>::run, &callback, error);
  });
  return callback.take();
}
template <class Function> auto run(Function function) {
  return run(options(), std::move(function));
}

/* Calls `function` while collections run without waiting for the thread (spgc_call_blocking). It
 * must not touch objects or handles. */
template <class Function> auto blocking(Function function) {
  detail::callback<Function> callback(function);
  spgc_call_blocking(detail::callback<Function>::run_and_return, &callback);
  return callback.take();
}

/* Calls `function` from one that `blocking` has called, as an attached thread again
 * (spgc_call_managed). */
template <class Function> auto managed(Function function) {
  detail::callback<Function> callback(function);
  spgc_call_managed(detail::callback<Function>::run_and_return, &callback);
  return callback.take();
}

/* Ends the handles that are made while it is the innermost scope. For local variables only, because
 * scopes must end in reverse order. */
class scope {
public:
  scope() : scope_(spgc_scope_open()) {
  }
  ~scope() {
    spgc_scope_close(scope_);
  }
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;
  static void *operator new(std::size_t) = delete;

private:
  spgc_scope scope_;
};

/* A reference that collections update, until the innermost scope ends. */
class handle {
public:
  explicit handle(spgc_ref ref) : handle_(spgc_handle_make(ref)) {
  }
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  static void *operator new(std::size_t) = delete;

  spgc_ref get() const noexcept {
    return spgc_handle_get(handle_);
  }
  void set(spgc_ref ref) noexcept {
    spgc_handle_set(handle_, ref);
  }

private:
  spgc_handle handle_;
};

/* A reference that collections update until this object is destroyed, by any thread. It may be
 * moved. An empty one has no reference, so get and set must not be called. */
class global_handle {
public:
  global_handle() noexcept = default;
  explicit global_handle(spgc_ref ref) : handle_(spgc_global_handle_make(ref)) {
    if (handle_.slot == nullptr)
      throw std::bad_alloc();
  }
  global_handle(global_handle &&other) noexcept : handle_(std::exchange(other.handle_, {})) {
  }
  global_handle &operator=(global_handle &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~global_handle() {
    if (handle_.slot != nullptr)
      spgc_global_handle_release(handle_);
  }

  explicit operator bool() const noexcept {
    return handle_.slot != nullptr;
  }
  spgc_ref get() const noexcept {
    return spgc_handle_get(handle_);
  }
  void set(spgc_ref ref) noexcept {
    spgc_handle_set(handle_, ref);
  }

private:
  spgc_handle handle_{};
};

/* An object that does not move (spgc_pin). */
class pin {
public:
  explicit pin(spgc_ref object) : object_(object) {
    detail::check([&](spgc_error *error) { return spgc_pin(object, error); });
  }
  ~pin() {
    spgc_unpin(object_);
  }
  pin(const pin &) = delete;
  pin &operator=(const pin &) = delete;

  spgc_ref get() const noexcept {
    return object_;
  }

private:
  spgc_ref object_; /* stays right, because the object does not move */
};

/* spgc_allocate and spgc_allocate_array. std::bad_alloc instead of null. Safepoints. */
inline spgc_ref allocate(const spgc_type &type) {
  spgc_ref object = spgc_allocate(&type);
  if (spgc_ref_is_null(object))
    throw std::bad_alloc();
  return object;
}
inline spgc_ref allocate_array(const spgc_type &type, std::uint64_t length) {
  spgc_ref object = spgc_allocate_array(&type, length);
  if (spgc_ref_is_null(object))
    throw std::bad_alloc();
  return object;
}

/* The reference at a byte offset of an object: loaded, and stored with the barrier. No safepoints.
 */
inline spgc_ref load(spgc_ref object, std::size_t offset) noexcept {
  return spgc_slot_load(spgc_slot_at(static_cast<char *>(spgc_ref_memory(object)) + offset));
}
inline void store(spgc_ref object, std::size_t offset, spgc_ref value) noexcept {
  spgc_store(spgc_slot_at(static_cast<char *>(spgc_ref_memory(object)) + offset), value);
}

} // namespace spgc

#endif
