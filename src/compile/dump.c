/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of phases.
 */
#include "compile/dump.h"

const tacho_dump_phase tacho_dump_phases[] = {
    {1, "input", "ReadModel", "read-model", tacho_dump_input},
    {4, "global-optimization", "FoldConstants", "fold-constants", tacho_dump_folded},
    {5, "flow", "FuseOperators", "fuse-operators", tacho_dump_fused},
    {6, "stream", "PlaceTensors", "place-tensors", tacho_dump_placed},
    {7, "executable-sources", "TileOperators", "tile-operators", tacho_dump_tiled},
    {8, "executable-configurations", "ScheduleJobs", "schedule-jobs", tacho_dump_scheduled},
    {9, "executable-targets", "WritePrograms", "write-programs", tacho_dump_targets},
    {0, NULL, NULL, NULL, NULL},
};
