#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Stands in for a tool and leaves out one of its flags, with the value behind it:
#
#   drop_flag.sh TOOL ARGUMENT...
#
# DROP_NUMBER says which, from 0; of a flag that is given twice the last counts. The flag that was left out is written to DROP_FILE; where there are
# fewer, the tool runs with all of them, and nothing is written.
set -eu
tool=$1
shift
kept=() dropped='' number=-1 now=-1
declare -A left=() # how often a flag is still to come
for argument; do
    [[ $argument != -* ]] || left[${argument%%=*}]=$((${left[${argument%%=*}]:-0} + 1))
done
for argument; do
    if [[ $argument == -* ]]; then
        left[${argument%%=*}]=$((left[${argument%%=*}] - 1))
        ((left[${argument%%=*}] > 0)) && now=-1 || now=$((number += 1))
    fi
    if ((now == DROP_NUMBER)); then
        dropped+=${dropped:+ }$argument
    else
        kept+=("$argument")
    fi
done
[[ -z $dropped ]] || echo "$dropped" >"$DROP_FILE"
exec "$DROP_TOOLS/$tool" "${kept[@]}"
