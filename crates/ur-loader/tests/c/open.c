/* A program that opens the loader at run time and ends in a given way. argv: the loader, how many
 * adapters there must be, whether handles are released or leaked, the way it ends:
 *   close       opens, uses and closes the loader twenty times, then returns from main
 *   return, exit, quick_exit, _exit
 *   thread      exits from another thread
 *   atexit      calls the loader from an atexit handler that runs after everything else
 *   destructor  calls the loader from a destructor of the program
 *   fork        uses the loader in a child made after the first use, and in the parent
 *   threads     ends while threads are still calling
 *   unused      initialises the loader and asks for no adapter
 *   unused_close  the same, and closes the loader twenty times
 *   first_fork  uses the loader first in a child, then in the parent
 *   first_threads  several threads use the loader first, at once
 * The exit code is 7 when all went well. Before it ends it says when. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct handle *handle;
static uint32_t (*init)(uint32_t, handle);
static uint32_t (*tear_down)(void);
static uint32_t (*get)(uint32_t, handle *, uint32_t *);
static uint32_t (*info)(handle, uint32_t, size_t, void *, size_t *);
static uint32_t (*release)(handle);

static uint32_t wanted;
static int leak;
static int from_destructor;

static void *open_loader(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); exit(1); }
    init = (uint32_t (*)(uint32_t, handle))dlsym(library, "urLoaderInit");
    tear_down = (uint32_t (*)(void))dlsym(library, "urLoaderTearDown");
    get = (uint32_t (*)(uint32_t, handle *, uint32_t *))dlsym(library, "urAdapterGet");
    info = (uint32_t (*)(handle, uint32_t, size_t, void *, size_t *))dlsym(library, "urAdapterGetInfo");
    release = (uint32_t (*)(handle))dlsym(library, "urAdapterRelease");
    return library;
}

/* Gets all adapters and asks each. */
static int use(void) {
    handle adapters[8];
    uint32_t count = 99, backend = 0;
    if (get(8, adapters, &count) != 0 || count != wanted) return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (info(adapters[i], 0, 4, &backend, NULL) != 0) return 0;
        if (!leak && release(adapters[i]) != 0) return 0;
    }
    return 1;
}

static void leaving(void) {
    struct timespec now;
    char line[64];
    clock_gettime(CLOCK_MONOTONIC, &now);
    int length = snprintf(line, sizeof line, "\nleaving at %lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    if (write(1, line, (size_t)length) != length) _exit(4);
}

static void at_exit(void) {
    if (!use() || tear_down() != 0 || use() || tear_down() == 0) _exit(3);
    leaving();
}

__attribute__((destructor)) static void destroyed(void) {
    if (from_destructor) at_exit();
}

static void *forever(void *unused) {
    for (;;) if (!use()) _exit(3);
    return unused;
}

static pthread_barrier_t together;

static void *once(void *unused) {
    pthread_barrier_wait(&together);
    return use() ? &together : unused;
}

static void *leave(void *unused) {
    leaving();
    exit(7);
    return unused;
}

int main(int count, char **words) {
    if (count != 5) return 2;
    const char *way = words[4];
    wanted = (uint32_t)atoi(words[2]);
    leak = !strcmp(words[3], "leaked");
    int unused = !strncmp(way, "unused", 6);
    if (!strcmp(way, "close") || !strcmp(way, "unused_close")) {
        for (int i = 0; i < 20; i++) {
            void *library = open_loader(words[1]);
            if (init(0, NULL) != 0 || (!unused && !use()) || tear_down() != 0 || dlclose(library) != 0) return 3;
        }
        leaving();
        return 7;
    }
    if (!strcmp(way, "atexit")) atexit(at_exit);
    from_destructor = !strcmp(way, "destructor");
    open_loader(words[1]);
    if (init(0, NULL) != 0) return 3;
    if (!strcmp(way, "first_threads")) {
        pthread_t ids[4];
        void *well = NULL;
        pthread_barrier_init(&together, NULL, 4);
        for (int i = 0; i < 4; i++) pthread_create(&ids[i], NULL, once, NULL);
        for (int i = 0; i < 4; i++) if (pthread_join(ids[i], &well) != 0 || !well) return 3;
    }
    if (!unused && strcmp(way, "first_fork") && !use()) return 3;
    if (!strcmp(way, "fork") || !strcmp(way, "first_fork")) {
        pid_t child = fork();
        if (child == 0) exit(use() && init(0, NULL) == 0 && tear_down() == 0 ? 7 : 3);
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7 || !use()) return 3;
    }
    if (!strcmp(way, "threads")) {
        for (int i = 0; i < 4; i++) {
            pthread_t id;
            pthread_create(&id, NULL, forever, NULL);
        }
        for (int i = 0; i < 200; i++) if (!use()) return 3;
    }
    if (!leak && strcmp(way, "atexit") && strcmp(way, "threads") && !from_destructor && tear_down() != 0) return 3;
    if (!strcmp(way, "thread")) {
        pthread_t id;
        pthread_create(&id, NULL, leave, NULL);
        pthread_join(id, NULL);
        return 3;
    }
    leaving();
    if (!strcmp(way, "exit")) exit(7);
    if (!strcmp(way, "quick_exit")) quick_exit(7);
    if (!strcmp(way, "_exit")) _exit(7);
    return 7;
}
