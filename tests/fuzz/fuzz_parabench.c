/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes programs in Parabench's language: the input is one, and it is compiled, checked,
 * explained, and gone through on a few ranks. */
#include "fuzz_backends.h"

#include "front/parabench/language.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct weir_pbl_group_size sizes[] = {{"a", 1}, {"b", 2}};
    struct weir_plan *plan = weir_plan_open("parabench", 0, NULL);
    struct weir_error error = {0};
    struct weir_program program = {0};
    struct weir_program_count count;
    struct weir_text text = {0};
    const struct weir_lowering lowering = {
        .plan = plan, .test = weir_plan_add_test(plan), .place = "parabench", .error = &error};
    const struct weir_pbl_job job = {
        .path = "program",
        .text = weir_arena_printf(&plan->arena, "%.*s", (int)size, (const char *)data),
        .sizes = sizes,
        .size_count = 2,
    };

    if (weir_pbl_compile(&lowering, &job, &program) == 0 &&
        weir_pbl_set_parameters(&lowering, &program, 0, NULL) == 0 &&
        weir_pbl_check_numbers(&lowering, &program) == 0 &&
        weir_pbl_set_roots(&lowering, &program, NULL) == 0) {
        program.largest_bytes = weir_pbl_largest_bytes(&program);
        weir_program_explain(&program, &text);
        weir_program_count(&program, 5, 10000, &count);
    }
    weir_text_close(&text);
    weir_plan_close(plan);
    return 0;
}
