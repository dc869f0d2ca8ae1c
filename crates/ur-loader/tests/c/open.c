/* A program that opens the loader at run time. argv[1] is the loader, argv[2] the way it ends:
 *   close    opens, uses and closes the loader a hundred times, then returns from main
 *   return, exit, _exit   ends so with everything still open and counted
 *   atexit   calls the loader from an atexit handler that runs after everything else
 *   fork     uses the loader in a child made after the first use, and in the parent
 *   threads  ends while threads are still calling
 * The exit code is 7 when all went well. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct handle *handle;
static uint32_t (*init)(uint32_t, handle);
static uint32_t (*tear_down)(void);
static uint32_t (*get)(uint32_t, handle *, uint32_t *);
static uint32_t (*info)(handle, uint32_t, size_t, void *, size_t *);
static uint32_t (*release)(handle);

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

static int use(void) {
    handle adapter = NULL;
    uint32_t backend = 0;
    return get(1, &adapter, NULL) == 0 && adapter && info(adapter, 0, 4, &backend, NULL) == 0 && release(adapter) == 0;
}

static void at_exit(void) {
    if (!use() || tear_down() != 0 || use() || tear_down() == 0) _exit(3);
}

static void *forever(void *unused) {
    for (;;) if (!use()) _exit(3);
    return unused;
}

int main(int count, char **words) {
    const char *way = count > 2 ? words[2] : "";
    if (!strcmp(way, "close")) {
        for (int i = 0; i < 100; i++) {
            void *library = open_loader(words[1]);
            if (init(0, NULL) != 0 || !use() || tear_down() != 0 || dlclose(library) != 0) return 3;
        }
        return 7;
    }
    if (!strcmp(way, "atexit")) atexit(at_exit);
    open_loader(words[1]);
    if (init(0, NULL) != 0 || !use()) return 3;
    if (!strcmp(way, "exit")) exit(7);
    if (!strcmp(way, "_exit")) _exit(7);
    if (!strcmp(way, "fork")) {
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
        for (int i = 0; i < 1000; i++) if (!use()) return 3;
    }
    return 7;
}
