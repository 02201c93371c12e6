#include "support/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/output_place.h"

/* "FOLDER/.spgc-RANDOM" and the suffix, with 64 random bits; NULL if out of memory. */
static char *name_in(const char *folder, int folder_length, const char *suffix) {
  uint64_t number = (uint64_t)getpid();
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR)
    ;
  char *name;
  if (asprintf(&name, "%.*s/.spgc-%016" PRIx64 "%s", folder_length, folder, number, suffix) < 0)
    return NULL;
  return name;
}

static char *name_beside(const char *destination) {
  const char *slash = strrchr(destination, '/');
  if (slash == NULL)
    return name_in(".", 1, "");
  return name_in(destination, (int)(slash - destination), "");
}

static int begin_beside(struct spgc_output_file *output, const struct spgc_output_place *place) {
  *output = (struct spgc_output_file){.path = name_beside(place->path),
                                      .destination = place->path,
                                      .replaces = place->exists,
                                      .replaced = place->status};
  if (output->path == NULL) {
    free(output->destination);
    return ENOMEM;
  }
  output->guard = spgc_file_guard_begin(output->path);
  return 0;
}

/* Programs that write the file themselves, such as linkers, may remove a link first, or seek. */
static int begin_in_place(struct spgc_output_file *output, const char *destination) {
  char *copy = strdup(destination);
  int error = copy != NULL ? spgc_output_file_begin_temporary(output, "") : ENOMEM;
  if (error != 0) {
    free(copy);
    return error;
  }
  output->destination = copy;
  output->is_in_place = true;
  return 0;
}

int spgc_output_file_begin(struct spgc_output_file *output, const char *destination) {
  struct spgc_output_place place;
  int error = spgc_output_place_find(&place, destination);
  if (error != 0)
    return error;
  return place.path != NULL ? begin_beside(output, &place) : begin_in_place(output, destination);
}

int spgc_output_file_begin_temporary(struct spgc_output_file *output, const char *suffix) {
  const char *chosen = getenv("TMPDIR");
  const char *folder = chosen != NULL && *chosen != '\0' ? chosen : "/tmp";
  *output = (struct spgc_output_file){.path = name_in(folder, (int)strlen(folder), suffix)};
  if (output->path == NULL)
    return ENOMEM;
  output->guard = spgc_file_guard_begin(output->path);
  return 0;
}

static int write_bytes(int file, const char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(file, bytes + done, size - done);
    if (count >= 0)
      done += (size_t)count;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

/* Closing may be the first call that reports a full disk. */
static int close_after(int file, int error) {
  return close(file) != 0 && error == 0 ? errno : error;
}

/* A replacement must never be readable to more users. */
int spgc_output_file_write(const struct spgc_output_file *output, const char *bytes, size_t size) {
  mode_t mode = output->replaces ? 0600 : 0666;
  int file = open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0)
    return errno;
  return close_after(file, write_bytes(file, bytes, size));
}

static int open_in_place(const char *destination) {
  return open(destination, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
}

static int put_in_place(const char *destination, const char *bytes, size_t size) {
  int file = open_in_place(destination);
  if (file < 0)
    return errno;
  return close_after(file, write_bytes(file, bytes, size));
}

static int copy_bytes(int from, int to) {
  char bytes[65536];
  for (;;) {
    ssize_t count = read(from, bytes, sizeof bytes);
    if (count == 0)
      return 0;
    int error = count > 0 ? write_bytes(to, bytes, (size_t)count) : errno;
    if (error != 0 && error != EINTR)
      return error;
  }
}

static int copy_in_place(const char *path, const char *destination) {
  int from = open(path, O_RDONLY | O_CLOEXEC);
  if (from < 0)
    return errno;
  int to = open_in_place(destination);
  int error = to < 0 ? errno : close_after(to, copy_bytes(from, to));
  close(from);
  return error;
}

/* All who may read an executable may execute it. */
static int take_over_status(const char *path, const struct stat *replaced) {
  struct stat status;
  if (stat(path, &status) != 0)
    return errno;
  mode_t mode = replaced->st_mode & 0777;
  if ((status.st_mode & 0111) != 0)
    mode |= (mode & 0444) >> 2;
  (void)!chown(path, (uid_t)-1, replaced->st_gid);
  if (chmod(path, mode) != 0)
    return errno;
  (void)!chown(path, replaced->st_uid, (gid_t)-1);
  return 0;
}

static int move_to_destination(const struct spgc_output_file *output) {
  if (output->is_in_place)
    return copy_in_place(output->path, output->destination);
  int error = output->replaces ? take_over_status(output->path, &output->replaced) : 0;
  if (error == 0 && rename(output->path, output->destination) != 0)
    error = errno;
  return error;
}

static void end(struct spgc_output_file *output) {
  spgc_file_guard_end(&output->guard, output->path);
  free(output->path);
  free(output->destination);
}

int spgc_output_file_finish(struct spgc_output_file *output) {
  int error = output->destination != NULL ? move_to_destination(output) : 0;
  end(output);
  return error;
}

void spgc_output_file_discard(struct spgc_output_file *output) {
  end(output);
}

int spgc_output_file_put(const char *destination, const char *bytes, size_t size) {
  struct spgc_output_place place;
  struct spgc_output_file output;
  int error = spgc_output_place_find(&place, destination);
  if (error == 0 && place.path == NULL)
    return put_in_place(destination, bytes, size);
  if (error == 0)
    error = begin_beside(&output, &place);
  if (error != 0)
    return error;
  error = spgc_output_file_write(&output, bytes, size);
  if (error == 0)
    return spgc_output_file_finish(&output);
  spgc_output_file_discard(&output);
  return error;
}
