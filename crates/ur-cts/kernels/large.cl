/* An argument as large as a device must take. It has a module of its own, since some compilers refuse
 * all kernels of a module for it. */

#include "take.h"

TAKE_BYTES(1000)
