/* What the mock adapter (libur_adapter_mock.so.0) offers tests besides the API. */
#ifndef CONCORD_UR_MOCK_H
#define CONCORD_UR_MOCK_H

#include <stddef.h>

#include "ur_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When a callback is called. */
typedef enum ur_mock_when_t {
    UR_MOCK_BEFORE = 0,  /* before the entry point */
    UR_MOCK_REPLACE = 1, /* in its place */
    UR_MOCK_AFTER = 2    /* after it succeeded */
} ur_mock_when_t;

/* A callback. params points to the function's parameter structure (ur_context_create_params_t for
 * urContextCreate), whose members point to the arguments; one that is called before may change
 * them. A result other than UR_RESULT_SUCCESS ends the call with it. */
typedef ur_result_t (*ur_mock_callback_t)(void *params, void *user);

/* Sets the callback of a function and a moment; a null one removes it.
 * UR_RESULT_ERROR_INVALID_ENUMERATION for a moment that there is not. A call that is under way may
 * still use the callback that was there before. */
ur_result_t ur_mock_set_callback(ur_function_t function, uint32_t when, ur_mock_callback_t callback,
                                 void *user);

/* Sets how many platforms there are, and how many devices on each: up to 64. It counts for the
 * first urPlatformGet. UR_RESULT_ERROR_INVALID_VALUE for more. */
ur_result_t ur_mock_configure(uint32_t platforms, uint32_t devices);

/* Where the memory of the mock's objects comes from; null functions stand for malloc and free. To
 * be set before there is an object. */
ur_result_t ur_mock_set_allocator(void *(*allocate)(size_t size, size_t align),
                                  void (*deallocate)(void *memory, size_t size, size_t align));

/* How many objects are alive. */
size_t ur_mock_live_objects(void);

#ifdef __cplusplus
}
#endif

#endif
