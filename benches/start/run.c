/* Runs a program whose output nobody wants: prints its wall time and what of it the processor worked
 * for it, in nanoseconds, and its peak memory in KiB. It is a program of its own because a process's peak counts what its parent had when it
 * started it: this one has next to nothing. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long nanoseconds(struct timeval time) {
    return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words) {
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int status;
    if (count < 2) return 2;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    long long begin = now();
    if (posix_spawn(&child, words[1], &actions, NULL, words + 1, environ) != 0) return 1;
    if (wait4(child, &status, 0, &usage) != child) return 1;
    long long wall = now() - begin, cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    printf("%lld %lld %ld\n", wall, cpu, usage.ru_maxrss);
    return status != 0;
}
