/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a run of `weir net` made by hand in one of its formats: tell_net SCENE FORMAT [gbits]. */
#include "../unit/net_scenes.h"

#include "weir/report/net_report.h"

static enum weir_net_format format_of(const char *word)
{
    static const char *const names[] = {"table", "json", "iperf", "perftest"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0)
            return (enum weir_net_format)i;
    exit(2);
}

static void tell(struct net_scene *scene)
{
    struct weir_text text = {0};

    weir_net_result_judge(scene->result);
    weir_net_report_begin(&scene->plan, scene->result, &text);
    for (uint32_t i = 0; i < scene->result->measurement_count; i++)
        weir_net_report_measurement(&scene->plan, scene->result, i, &text);
    weir_net_report_end(&scene->plan, scene->result, &text);
    fputs(weir_text_string(&text), stdout);
    weir_text_close(&text);
}

int main(int count, char *words[])
{
    struct net_scene scene;

    for (size_t i = 0; count > 2 && i < sizeof net_scenes / sizeof *net_scenes; i++) {
        if (strcmp(words[1], net_scenes[i].name) != 0)
            continue;
        net_scenes[i].open(&scene);
        scene.plan.format = format_of(words[2]);
        scene.plan.is_in_bits = count > 3;
        tell(&scene);
        net_scene_close(&scene);
        return 0;
    }
    return 2;
}
