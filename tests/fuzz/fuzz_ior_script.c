/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes IOR scripts: the input is a script, and its tests are lowered and explained. */
#include "fuzz_backends.h"

#include "front/ior_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_plan *plan;
    struct weir_ior_request *request;
    struct weir_error error = {0};
    FILE *file;

    if (size == 0)
        return 0;
    plan = weir_plan_open("ior", 0, NULL);
    request = weir_ior_request_new(&plan->arena, &weir_fuzz_backends);
    file = fmemopen((void *)(uintptr_t)data, size, "r");
    if (!file || weir_ior_script_parse(request, file, "script", &error))
        weir_plan_close(plan);
    else
        weir_fuzz_lower(plan, request);
    if (file)
        fclose(file);
    return 0;
}
