# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads and judges the records of lines/*.seed (README.md describes them). A record that is not well
# formed is a failure, never skipped: a line that is silently not run would break the promise.

declare -A FIELD=()        # "ID NAME" -> value; repeated fields are joined by newlines
declare -a RECORDS=()      # ids of the well-formed records, in document order
declare -A SEEN_ID=()      # every id met, to find duplicates even among malformed records
declare -a MALFORMED=()    # "ID reason" of each record that was refused
declare -A CURRENT=()      # the record being read: NAME -> value

# field ID NAME: prints the value, or nothing if the record has no such field.
field() {
    printf '%s' "${FIELD["$1 $2"]-}"
}

# ---- reading ----------------------------------------------------------------------------------

# load_file FILE: adds its records to RECORDS, FIELD and MALFORMED; false if it cannot be read or
# holds none.
#
# A blank line ends a record, `#` starts a comment, four spaces continue the field above.
load_file() {
    local document line name='' ids_before=${#SEEN_ID[@]}
    [[ -r $1 ]] || return 1
    document=$(basename "$1" .seed)
    while IFS= read -r line || [[ -n $line ]]; do
        case $line in
            '') close_record "$document"; name= ;;
            '#'*) ;;
            '    '*) continue_field "$name" "${line:4}" ;;
            *) name=${line%%:*}; open_field "$name" "$line" ;;
        esac
    done <"$1"
    close_record "$document"
    ((${#SEEN_ID[@]} > ids_before))
}

# A problem met while reading is kept in the record and reported when it ends: its id may come last.
open_field() {
    local name=$1 value=${2#*:}
    value=${value# }
    case $name in
        id | from | needs | state | setup | after | by | run | why)
            [[ ! -v CURRENT[$name] ]] || CURRENT[problem]="field '$name' twice"
            CURRENT[$name]=$value ;;
        with | check) CURRENT[$name]+=${CURRENT[$name]:+$'\n'}$value ;;
        *) CURRENT[problem]="unknown line '$2'" ;;
    esac
}

continue_field() {
    if [[ $1 == run ]]; then
        CURRENT[run]+=${CURRENT[run]:+$'\n'}$2
    else
        CURRENT[problem]="only run: can go over several lines"
    fi
}

close_record() {
    ((${#CURRENT[@]} > 0)) || return 0
    local id=${CURRENT[id]:-?} reason name
    if reason=$(record_problem "$1"); then
        MALFORMED+=("$id $reason")
    else
        RECORDS+=("$id")
        for name in "${!CURRENT[@]}"; do
            FIELD["$id $name"]=${CURRENT[$name]}
        done
    fi
    SEEN_ID[$id]=1
    CURRENT=()
}

# ---- judging ----------------------------------------------------------------------------------

# Each *_problem function prints what is wrong with CURRENT, and is false if nothing is.
record_problem() {
    local document=$1 name
    [[ ! -v CURRENT[problem] ]] || { echo "${CURRENT[problem]}"; return; }
    for name in id from needs state run; do
        [[ -n ${CURRENT[$name]-} ]] || { echo "no $name:"; return; }
    done
    [[ ${CURRENT[id]} =~ ^$document-[1-9][0-9]*$ ]] ||
        { echo "id is not $document-N"; return; }
    [[ ! -v SEEN_ID[${CURRENT[id]}] ]] || { echo "duplicate id"; return; }
    [[ ${CURRENT[from]} =~ ^(printed|described)\ [0-9]+(-[0-9]+)?$ ]] ||
        { echo "from: is not 'printed|described LINES'"; return; }
    [[ ${CURRENT[by]-bash} =~ ^(bash|python3)$ ]] ||
        { echo "by: is not bash or python3"; return; }
    case ${CURRENT[state]} in
        outside) outside_problem ;;
        pass | waiting) setup_problem || after_problem || with_problem || check_problem ;;
        *) echo "state: is not pass, waiting or outside" ;;
    esac
}

outside_problem() {
    [[ -z ${CURRENT[why]-} ]] && echo "state outside, and no why:"
}

setup_problem() {
    local name
    for name in ${CURRENT[setup]-}; do
        [[ " $FIXTURES " == *" $name "* ]] || { echo "no fixture '$name'"; return; }
    done
    return 1
}

# A line may build on earlier ones only, and a passing line only on passing ones.
after_problem() {
    local id
    for id in ${CURRENT[after]-}; do
        [[ -n ${FIELD["$id run"]-} ]] || { echo "after: no earlier record '$id'"; return; }
        [[ ${FIELD["$id state"]} == pass || ${FIELD["$id state"]} == "${CURRENT[state]}" ]] ||
            { echo "${CURRENT[state]}, after $id, which is ${FIELD["$id state"]}"; return; }
    done
    return 1
}

with_problem() {
    local pair
    while IFS= read -r pair; do
        [[ -z $pair ]] && continue
        [[ $pair == ?*' => '?* ]] || { echo "with: is not 'FROM => TO'"; return; }
        [[ ${CURRENT[run]} == *"${pair%% => *}"* ]] ||
            { echo "with: '${pair%% => *}' is not in run:"; return; }
    done <<<"${CURRENT[with]-}"
    return 1
}

# Exit status 0 alone proves little, so every line has to be checked for what it leaves behind.
check_problem() {
    local check
    [[ -n ${CURRENT[check]-} ]] || { echo "no check:"; return; }
    while IFS= read -r check; do
        [[ $check =~ $CHECK_FORM ]] || { echo "unknown check '$check'"; return; }
    done <<<"${CURRENT[check]}"
    return 1
}
