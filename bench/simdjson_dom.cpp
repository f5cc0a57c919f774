/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simdjson_dom: times simdjson's DOM parser over a file, by CPU, as lines of tab-separated values:
 * the peer of our reading of Chrome traces. The only C++ here, built where simdjson is.
 *
 *     simdjson_dom FILE [REPEATS]
 *
 *     fresh       a new parser, parse alone; the text is in memory before: THE figure of the bar
 *     fresh_load  a new parser, file loaded and parsed: what a program that runs once would pay
 *     touch       fresh_load, and then each value of the document is visited
 *     warm        the parser of the run before, its memory in place, parse alone
 *
 * Columns: name, MB/s, seconds, values visited. The best of the repeats counts; MB is 10^6 bytes.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <simdjson.h>

namespace
{

using simdjson::dom::element;
using simdjson::dom::element_type;

/* What a pass found, so that no work can be left out. */
struct tally {
    uint64_t value_count = 0;
    uint64_t checksum = 0;
};

struct timing {
    double load_s = 0;
    double parse_s = 0;
    double touch_s = 0;
};

double cpu_s()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/* Recursion is bounded by the parser, which takes 1024 levels. */
void visit(element value, tally &sum)
{
    ++sum.value_count;
    switch (value.type()) {
    case element_type::OBJECT:
        for (auto member : simdjson::dom::object(value)) {
            sum.checksum += member.key.size();
            visit(member.value, sum);
        }
        break;
    case element_type::ARRAY:
        for (element item : simdjson::dom::array(value))
            visit(item, sum);
        break;
    case element_type::STRING:
        sum.checksum += std::string_view(value).size();
        break;
    case element_type::DOUBLE:
        sum.checksum += static_cast<uint64_t>(static_cast<int64_t>(double(value)));
        break;
    case element_type::INT64:
        sum.checksum += static_cast<uint64_t>(int64_t(value));
        break;
    case element_type::UINT64:
        sum.checksum += uint64_t(value);
        break;
    case element_type::BOOL:
    case element_type::NULL_VALUE:
        break;
    }
}

/* One run: load, parse, and visit where |sum| is wanted. Throws simdjson_error. */
timing run_once(const char *path, simdjson::dom::parser &parser, tally *sum)
{
    timing taken;
    const double start_s = cpu_s();
    const simdjson::padded_string text = simdjson::padded_string::load(path);
    const double loaded_s = cpu_s();
    const element root = parser.parse(text);
    const double parsed_s = cpu_s();
    if (sum != nullptr)
        visit(root, *sum);
    taken.load_s = loaded_s - start_s;
    taken.parse_s = parsed_s - loaded_s;
    taken.touch_s = cpu_s() - parsed_s;
    return taken;
}

struct best {
    double fresh_s = 1e9, fresh_load_s = 1e9, touch_s = 1e9, warm_s = 1e9;
    tally sum;
};

void keep_least(double &best_s, double taken_s)
{
    if (taken_s < best_s)
        best_s = taken_s;
}

best measure(const char *path, long repeat_count)
{
    best found;
    simdjson::dom::parser warm_parser;
    run_once(path, warm_parser, nullptr);
    for (long i = 0; i < repeat_count; ++i) {
        simdjson::dom::parser fresh_parser;
        found.sum = tally();
        const timing fresh = run_once(path, fresh_parser, &found.sum);
        keep_least(found.fresh_s, fresh.parse_s);
        keep_least(found.fresh_load_s, fresh.load_s + fresh.parse_s);
        keep_least(found.touch_s, fresh.load_s + fresh.parse_s + fresh.touch_s);
        keep_least(found.warm_s, run_once(path, warm_parser, nullptr).parse_s);
    }
    return found;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        std::fputs("usage: simdjson_dom FILE [REPEATS]\n", stderr);
        return 2;
    }
    const long repeat_count = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 3;
    try {
        const best found = measure(argv[1], repeat_count);
        const double mb =
            static_cast<double>(simdjson::padded_string::load(argv[1]).value().size()) * 1e-6;
        const struct {
            const char *name;
            double taken_s;
        } lines[] = {{"fresh", found.fresh_s},
                     {"fresh_load", found.fresh_load_s},
                     {"touch", found.touch_s},
                     {"warm", found.warm_s}};
        std::fprintf(stderr, "simdjson %d.%d.%d, %s kernel, checksum %016llx\n",
                     simdjson::SIMDJSON_VERSION_MAJOR, simdjson::SIMDJSON_VERSION_MINOR,
                     simdjson::SIMDJSON_VERSION_REVISION,
                     simdjson::get_active_implementation()->name().c_str(),
                     static_cast<unsigned long long>(found.sum.checksum));
        for (const auto &line : lines)
            std::printf("%s\t%.1f\t%.4f\t%llu\n", line.name, mb / line.taken_s, line.taken_s,
                        static_cast<unsigned long long>(found.sum.value_count));
    } catch (const simdjson::simdjson_error &error) {
        std::fprintf(stderr, "simdjson_dom: %s: %s\n", argv[1], error.what());
        return 1;
    }
    return 0;
}
