/* What link_main.cl needs. */

int twice(int of) {
    return of * 2;
}
