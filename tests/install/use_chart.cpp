// SPDX-License-Identifier: Apache-2.0
// Draws a chart and walks a profile from C++: every type of the library under its C name.
#include <cstdio>
#include <memory>
#include <tacho/tacho.h>

static bool ok(tacho_status status)
{
    std::unique_ptr<tacho_failure, decltype(&tacho_status_free)> owned(status, &tacho_status_free);
    if (owned) {
        std::printf("%s: %s\n", tacho_code_name(tacho_status_code(owned.get())),
                    tacho_status_message(owned.get()));
    }
    return !owned;
}

int main(int argc, char **argv)
{
    tacho_timechart_options options = {};
    options.ns_per_tick = 1000;
    tacho_timechart *opened_chart = nullptr;
    if (argc < 3 || !ok(tacho_timechart_open(argv[2], &options, &opened_chart))) {
        return 1;
    }
    std::unique_ptr<tacho_timechart, decltype(&tacho_timechart_close)> chart(
        opened_chart, &tacho_timechart_close);
    tacho_timechart_log log = {"p", "t", "f", 1, 2};
    if (!ok(tacho_timechart_render(chart.get(), &log)) ||
        !ok(tacho_timechart_set_track_event(chart.get(), 3, TACHO_TIMECHART_INSTANT, &log)) ||
        !ok(tacho_timechart_add_runtime_csv(chart.get(), "jobs", argv[1])) ||
        !ok(tacho_timechart_flush(chart.get()))) {
        return 1;
    }
    tacho_view *opened_view = nullptr;
    if (!ok(tacho_view_open(&argv[1], 1, nullptr, &opened_view))) {
        return 1;
    }
    std::unique_ptr<tacho_view, decltype(&tacho_view_close)> view(opened_view, &tacho_view_close);
    tacho_view_counts counts = tacho_view_count(view.get());
    std::printf("%d events, %d lost\n", (int)counts.span_count, (int)counts.lost_count);
    return 0;
}
