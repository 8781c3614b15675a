/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes IOR scripts: the input is a script, and its tests are lowered and explained. */
#include "fuzz_backends.h"

#include "front/ior/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_plan *plan = weir_plan_open("ior", 0, NULL);
    struct weir_ior_request *request = weir_ior_request_new(&plan->arena, &weir_fuzz_backends);
    struct weir_error error = {0};
    const char *script = weir_arena_printf(&plan->arena, "%.*s", (int)size, (const char *)data);

    if (weir_ior_script_parse(request, script, "script", &error))
        weir_plan_close(plan);
    else
        weir_fuzz_lower(plan, request);
    return 0;
}
