/* For programs that link libur_static.a: the loader and adapters in one static library. */
#ifndef CONCORD_UR_STATIC_H
#define CONCORD_UR_STATIC_H

#include "ur_ddi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of these has the loader use an adapter that is part of the program, from the next first
 * urLoaderInit on. UR_ADAPTERS_FORCE_LOAD takes other adapters in their place. */

/* The native CPU adapter. */
void ur_static_native_cpu(void);

/* The mock adapter, for programs that ask for mocking (urLoaderConfigSetMockingEnabled); only in
 * libraries that were built with the feature mock. */
void ur_static_mock(void);

/* An adapter of the program's own. The table stays as it is until the process ends, and the
 * adapter's handles point to it. UR_RESULT_ERROR_INVALID_NULL_POINTER without a name or a table,
 * UR_RESULT_ERROR_INVALID_VALUE for a name that is empty or not UTF-8. */
ur_result_t ur_static_adapter(const char *name, const ur_dditable_t *table);

#ifdef __cplusplus
}
#endif

#endif
