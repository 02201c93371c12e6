/* libspgc.so takes little static thread-local storage. Arguments: a library that takes some, and
 * libspgc.so. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "check_main.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

static const char *taker, *spgc;

static int find_static_tls(struct dl_phdr_info *object, size_t size, void *bytes) {
  if (strstr(object->dlpi_name, "libspgc.so") == NULL)
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_TLS)
      *(size_t *)bytes = object->dlpi_phdr[i].p_memsz;
  return 1;
}

static void *function(void *library, const char *name) {
  void *found = dlsym(library, name);
  ck_assert_msg(found != NULL, "%s", name);
  return found;
}

static void *attach_and_collect(void *library) {
  enum spgc_result (*attach)(void *, struct spgc_error *);
  void (*collect)(enum spgc_collection), (*detach)(void);
  *(void **)&attach = function(library, "spgc_thread_attach");
  *(void **)&collect = function(library, "spgc_collect");
  *(void **)&detach = function(library, "spgc_thread_detach");
  ck_assert_int_eq(attach(__builtin_frame_address(0), NULL), SPGC_OK);
  collect(SPGC_COLLECTION_FULL);
  detach();
  return NULL;
}

START_TEST(the_library_can_be_opened_when_another_took_static_storage) {
  size_t bytes = 0;
  pthread_t thread;
  ck_assert_msg(dlopen(taker, RTLD_NOW) != NULL, "%s", dlerror());
  void *library = dlopen(spgc, RTLD_NOW);
  ck_assert_msg(library != NULL, "%s", dlerror());
  ck_assert_int_eq(dl_iterate_phdr(find_static_tls, &bytes), 1);
  ck_assert_uint_gt(bytes, 0);
  ck_assert_uint_le(bytes, 144);
  enum spgc_result (*start)(const struct spgc_options *, struct spgc_error *);
  void (*stop)(void);
  *(void **)&start = function(library, "spgc_start");
  *(void **)&stop = function(library, "spgc_stop");
  ck_assert_int_eq(start(NULL, NULL), SPGC_OK);
  ck_assert_int_eq(pthread_create(&thread, NULL, attach_and_collect, library), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  stop();
}
END_TEST

int main(int count, char **words) {
  if (count != 3)
    return 2;
  taker = words[1];
  spgc = words[2];
  const TTest *const tests[] = {the_library_can_be_opened_when_another_took_static_storage};
  return check_main_run("static-tls", tests, 1, 30);
}
