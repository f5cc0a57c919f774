// SPDX-License-Identifier: Apache-2.0
// The same from C++, with options.
#include <iostream>
#include <memory>
#include <tacho/tacho.h>

int main(int argc, char **argv)
{
    const char *inputs[] = {argc > 1 ? argv[1] : ""};
    tacho_convert_options options = {};
    options.omit_args = true;
    tacho_convert_result result = {};
    std::unique_ptr<tacho_failure, decltype(&tacho_status_free)> status(
        tacho_convert(inputs, 1, argc > 2 ? argv[2] : "", &options, &result), &tacho_status_free);
    if (status) {
        std::cout << tacho_code_name(tacho_status_code(status.get())) << ": "
                  << tacho_status_message(status.get()) << "\n";
        return 1;
    }
    std::cout << result.event_count << " events, " << result.lost_count << " lost\n";
    return 0;
}
