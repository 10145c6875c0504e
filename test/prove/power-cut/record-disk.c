/*
 * Preloaded into the service: writes down, in their order, all changes below one folder, all syncs, and every
 * acknowledgement that leaves through a socket. One record is one line of text, followed by its bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES_MAX 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *paths[FILES_MAX];
static struct stat files[FILES_MAX];
static char appends[FILES_MAX];
static int record = -1;
static const char *folder = NULL;
static size_t folder_length = 0;

#define REAL(type, name) \
  static type (*real)() = NULL; \
  if (real == NULL) real = (type (*)())dlsym(RTLD_NEXT, #name)

static ssize_t write_record(const void *bytes, size_t length) {
  REAL(ssize_t, write);
  return real(record, bytes, length);
}

static void prepare(void) {
  if (folder != NULL) return;
  const char *path = getenv("DISK_RECORD");
  folder = getenv("DISK_FOLDER");
  if (path == NULL || folder == NULL) {
    folder = "";
    return;
  }
  folder_length = strlen(folder);
  static int (*real_open)(const char *, int, ...) = NULL;
  real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  record = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_watched(const char *path) {
  prepare();
  return record >= 0 && path != NULL && strncmp(path, folder, folder_length) == 0;
}

/* Not every close is seen, so that a number may mean another file by now. */
static int is_watched_file(int file) {
  if (record < 0 || file < 0 || file >= FILES_MAX || paths[file] == NULL) return 0;
  struct stat now;
  return fstat(file, &now) == 0 && now.st_dev == files[file].st_dev && now.st_ino == files[file].st_ino;
}

/* The line and the bytes go out together, so that the record is whole. */
static void put(const void *bytes, size_t length, const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(line, sizeof line - 32, format, arguments);
  va_end(arguments);
  size += snprintf(line + size, 32, " %zu\n", length);
  char *whole = malloc(size + length);
  memcpy(whole, line, size);
  if (length > 0) memcpy(whole + size, bytes, length);
  if (write_record(whole, size + length) != (ssize_t)(size + length)) abort();
  free(whole);
}

static int remember(int file, const char *path, int flags, int existed) {
  if (file < 0 || file >= FILES_MAX) return file;
  free(paths[file]);
  paths[file] = strdup(path);
  fstat(file, &files[file]);
  appends[file] = (flags & O_APPEND) != 0;
  if (!existed && (flags & O_CREAT)) put(NULL, 0, "create %s", path);
  else if (flags & O_TRUNC) put(NULL, 0, "truncate %s 0", path);
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, name); \
    mode_t mode = 0; \
    if (flags & O_CREAT) { \
      va_list arguments; \
      va_start(arguments, flags); \
      mode = va_arg(arguments, mode_t); \
      va_end(arguments); \
    } \
    if (!is_watched(path)) return real(path, flags, mode); \
    pthread_mutex_lock(&lock); \
    int existed = access(path, F_OK) == 0; \
    int file = remember(real(path, flags, mode), path, flags, existed); \
    pthread_mutex_unlock(&lock); \
    return file; \
  }
OPEN(open)
OPEN(open64)

static void put_write(int file, const void *bytes, ssize_t written, off_t offset) {
  if (written > 0) put(bytes, written, "write %s %lld", paths[file], (long long)offset);
}

/* An acknowledgement counts from before it leaves: the caller may know of it from then on. */
static void put_answer(const void *bytes, size_t length) {
  prepare();
  if (record < 0 || length < 10 || memcmp(bytes, "HTTP/1.1 2", 10) != 0) return;
  pthread_mutex_lock(&lock);
  put(bytes, length, "answer");
  pthread_mutex_unlock(&lock);
}

ssize_t write(int file, const void *bytes, size_t length) {
  REAL(ssize_t, write);
  if (!is_watched_file(file)) {
    put_answer(bytes, length);
    return real(file, bytes, length);
  }
  pthread_mutex_lock(&lock);
  off_t offset = lseek(file, 0, appends[file] ? SEEK_END : SEEK_CUR);
  ssize_t written = real(file, bytes, length);
  put_write(file, bytes, written, offset);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, writev);
  size_t length = 0;
  for (int part = 0; part < count; part++) length += parts[part].iov_len;
  char *whole = malloc(length + 1);
  size_t at = 0;
  for (int part = 0; part < count; part++) {
    memcpy(whole + at, parts[part].iov_base, parts[part].iov_len);
    at += parts[part].iov_len;
  }
  ssize_t written;
  if (is_watched_file(file)) {
    written = write(file, whole, length);
  } else {
    put_answer(whole, length);
    written = real(file, parts, count);
  }
  free(whole);
  return written;
}

#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void *bytes, size_t length, offset_type offset) { \
    REAL(ssize_t, name); \
    if (!is_watched_file(file)) return real(file, bytes, length, offset); \
    pthread_mutex_lock(&lock); \
    ssize_t written = real(file, bytes, length, offset); \
    put_write(file, bytes, written, offset); \
    pthread_mutex_unlock(&lock); \
    return written; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type) \
  int name(int file, offset_type size) { \
    REAL(int, name); \
    if (!is_watched_file(file)) return real(file, size); \
    pthread_mutex_lock(&lock); \
    int result = real(file, size); \
    if (result == 0) put(NULL, 0, "truncate %s %lld", paths[file], (long long)size); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name) \
  int name(int file) { \
    REAL(int, name); \
    if (!is_watched_file(file)) return real(file); \
    pthread_mutex_lock(&lock); \
    int result = real(file); \
    if (result == 0) put(NULL, 0, "sync %s", paths[file]); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)

#define NAMES(name) \
  int name(const char *from, const char *to) { \
    REAL(int, name); \
    if (!is_watched(from)) return real(from, to); \
    pthread_mutex_lock(&lock); \
    int result = real(from, to); \
    if (result == 0) put(NULL, 0, #name " %s %s", from, to); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
NAMES(link)
NAMES(rename)

#define UNLINK(name) \
  int name(const char *path) { \
    REAL(int, name); \
    if (!is_watched(path)) return real(path); \
    pthread_mutex_lock(&lock); \
    int result = real(path); \
    if (result == 0) put(NULL, 0, "unlink %s", path); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
UNLINK(unlink)
UNLINK(remove)

int unlinkat(int at, const char *path, int flags) {
  REAL(int, unlinkat);
  if (!is_watched(path)) return real(at, path, flags);
  pthread_mutex_lock(&lock);
  int result = real(at, path, flags);
  if (result == 0) put(NULL, 0, "unlink %s", path);
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir);
  if (!is_watched(path)) return real(path, mode);
  pthread_mutex_lock(&lock);
  int result = real(path, mode);
  if (result == 0) put(NULL, 0, "mkdir %s", path);
  pthread_mutex_unlock(&lock);
  return result;
}

/* Ways to write that the service does not use; if it begins to, the record would not be whole. */
#define UNKNOWN(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(ssize_t, name); \
    if (is_watched_file(file)) { \
      fprintf(stderr, "record-disk: " #name " is not recorded\n"); \
      abort(); \
    } \
    return real arguments; \
  }
UNKNOWN(pwritev, (int file, const struct iovec *parts, int count, off_t offset), (file, parts, count, offset))
UNKNOWN(pwritev64, (int file, const struct iovec *parts, int count, off64_t offset), (file, parts, count, offset))
