/* SPDX-License-Identifier: Apache-2.0 */
/* A program of someone else's: converts one profile with the installed library. */
#include <stdio.h>
#include <tacho/tacho.h>

int main(int argc, char **argv)
{
    const char *inputs[] = {argc > 1 ? argv[1] : ""};
    tacho_convert_result result;
    tacho_status status = tacho_convert(inputs, 1, argc > 2 ? argv[2] : "", NULL, &result);
    if (status != TACHO_OK) {
        const char *code = tacho_code_name(tacho_status_code(status));
        printf("%s: %s\n", code, tacho_status_message(status));
        tacho_status_free(status);
        return 1;
    }
    printf("%d events, %d lost\n", (int)result.event_count, (int)result.lost_count);
    return 0;
}
