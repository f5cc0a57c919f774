#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tacho run --host against a board on this computer (board.sh): what comes back is what a run here
# gives, and what goes wrong says so and leaves nothing behind.
#
#   tests/remote/run.sh BUILD_DIR [--machine aarch64] [CASE...]
#
# With --machine, with a board of that processor, which qemu emulates, and the runtime of `make board`.
set -u
export TACHO_HOST_CPU=built-in NO_COLOR=1 LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
shift
# Root mounts a small disk for a test: in a namespace of its own, with which it goes.
if [[ $(id -u) == 0 && -z ${TACHO_OWN_MOUNTS:-} ]] && unshare --mount true 2>/dev/null; then
    TACHO_OWN_MOUNTS=1 exec unshare --mount bash "${BASH_SOURCE[0]}" "$build" "$@"
fi
machine=$(uname -m)
[[ ${1:-} != --machine ]] || { machine=$2 BOARD_MACHINE=$2; shift 2; }
# shellcheck source-path=SCRIPTDIR source=board.sh
. "$here/board.sh"
tacho=$build/bin/tacho
runtime=$build/lib/tacho/board-$machine
if [[ -n ${BOARD_MACHINE:-} ]]; then
    [[ -x $runtime ]] || { echo "skip: no $runtime; 'make board' builds it"; exit 77; }
    [[ -n $(board_qemu) ]] || { echo "skip: no qemu-$machine (qemu-user-static)"; exit 77; }
fi
model=$here/../data/run/pair.mlir
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-remote.XXXXXX") || exit 2
failed=0
trap 'board_stop; [[ ! -f $work/jump/pid ]] || kill "$(cat "$work/jump/pid")"; rm -rf "$work"' EXIT

fail() {
    echo "FAIL $current: $*"
    sed 's/^/  | /' "$work/out" "$work/err" 2>/dev/null | tail -n 20
    failed=1
}

# remote ARGUMENT...: a run on the board; its output is in out, err and status.
remote() {
    status=0
    timeout 300 "$tacho" run "$model" --host me@board "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

expect_status() { [[ $status == "$1" ]] || fail "exit status $status, not $1"; }
expect_error() { grep -qF -- "$1" "$work/err" || fail "does not say '$1'"; }

# Whether a condition holds within two minutes.
wait_until() {
    local i
    for ((i = 0; i < 1200; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}

lock_is_free() { [[ ! -e $BOARD_LOCK ]] || flock -n "$BOARD_LOCK" true; }

# Nothing of it runs, and the board holds the runtime and nothing else.
expect_clean() {
    local files
    wait_until lock_is_free || fail "the board is still locked"
    wait_until nothing_runs || fail "still runs on the board: $(processes_there)"
    wait_until no_copies || fail "left on the board: $(ls -A "$BOARD_HOME"/.cache/tacho/*)"
    files=$(find "$BOARD_HOME" -type f ! -name tacho-board)
    [[ -z $files ]] || fail "left on the board: $files"
    files=$(find "$TMPDIR" -mindepth 1)
    [[ -z $files ]] || fail "left here: $files"
}

# Processes of the board: all begin in its home directory.
processes_there() { find /proc -maxdepth 2 -name cwd -lname "$BOARD_HOME*" 2>/dev/null; }

nothing_runs() { [[ -z $(processes_there) ]]; }

no_copies() { [[ -z $(find "$BOARD_HOME" -name 'tacho-board.*') ]]; }

# What runs with no end of its own.
start_long() {
    rm -rf "$work/stats"
    "$tacho" run "$model" --host me@board -n 10000000 --samples 1 --stats-dir "$work/stats" "$@" \
        >"$work/out" 2>"$work/err" </dev/null &
    long=$!
    wait_until has_recorded || fail "the long run does not begin"
}

# Raw stats of the first inference are there: it runs, and the lock is held.
has_recorded() { compgen -G "$work/stats/*" >/dev/null; }

# ---- what works ---------------------------------------------------------------------------------

# Tables and files of both, but for times on this computer, and rows about the board.
case_same_as_here() {
    rm -rf "$BOARD_HOME/.cache"
    local here_args=(--seed 7 -n 3 --samples 2 --format json --stats-dir)
    remote "${here_args[@]}" "$work/far-stats" --output "@$work/far.npy" --profile "$work/far.json"
    expect_status 0
    expect_error "copied the runtime to me@board:"
    mv "$work/out" "$work/far.out"
    "$tacho" run "$model" "${here_args[@]}" "$work/near-stats" --output "@$work/near.npy" \
        --profile "$work/near.json" >"$work/near.out" 2>"$work/err" || fail "the run here failed"
    cmp "$work/far.npy" "$work/near.npy" || fail "other outputs"
    cmp "$work/far.json" "$work/near.json" || fail "another profile"
    diff -r "$work/far-stats" "$work/near-stats" || fail "other raw stats"
    diff <(without_times "$work/far.out") <(without_times "$work/near.out") || fail "other tables"
    grep -q '"host":"me@board","connection_ns":[0-9]\+,"board_ns":[0-9]\+}' "$work/far.out" ||
        fail "nothing about the board"
    rm -rf "$work"/far* "$work"/near*
    expect_clean
}

# Values of tacho's own kernels are the same on every processor.
case_same_values() {
    local other device
    for other in data/run/reals.mlir data/models/weights.mlir ../samples/tosa/fc.mlir; do
        for device in sim cpu; do
            model=$here/../$other remote --device $device --kernels reference --seed 7 --output "@$work/far.npy" -q
            expect_status 0
            "$tacho" run "$here/../$other" --device $device --kernels reference --seed 7 \
                --output "@$work/near.npy" -q >"$work/out" 2>"$work/err" || fail "the run of $other here failed"
            cmp "$work/far.npy" "$work/near.npy" || fail "other outputs of $other on $device"
            rm -f "$work/far.npy" "$work/near.npy"
        done
    done
    expect_clean
}

without_times() {
    sed 's/,"wall_ns":[0-9]*\(,"host":.*\)\?}/}/; /WALL_TIME/d' "$1"
}

case_copies_once() {
    local file before
    remote -q
    file=$(find "$BOARD_HOME" -name tacho-board)
    before=$(stat -c %i "$file")
    remote
    expect_status 0
    ! grep -q "copied the runtime" "$work/err" || fail "copied again"
    [[ $(stat -c %i "$file") == "$before" ]] || fail "the file was replaced"
    echo more >>"$file"
    remote
    expect_status 0
    expect_error "copied the runtime"
    cmp "$file" "$runtime" || fail "the runtime on the board is another one"
    expect_clean
}

case_cpu_is_measured_there() {
    remote --device cpu -n 3 --no-tables --output - -q
    expect_status 0
    remote --device cpu -n 3
    expect_status 0
    grep -q "the board's processor: measured" "$work/out" || fail "does not say where it ran"
    grep -q "^board  *me@board: $machine, " "$work/out" || fail "does not say which processor"
    grep -q '^wall time .* s here' "$work/out" || fail "no wall time"
    has_one_wall_time || fail "the overview has another wall time than the table of the run"
    expect_clean
}

has_one_wall_time() {
    awk '/^wall time/ { run = $3 * 1000 }
         /WALL_TIME/ { overview = $NF * ($NF ~ /ms$/ ? 1 : 1000) }
         END { exit !(run > 0 && run - overview < 0.6 && overview - run < 0.6) }' "$work/out"
}

case_path_of_the_user() {
    remote --board-path "iree-build-soc/it's me/torq-run-module" -q
    expect_status 0
    cmp "$BOARD_HOME/iree-build-soc/it's me/torq-run-module" "$runtime" || fail "not at its path"
    rm -r "$BOARD_HOME/iree-build-soc"
    expect_clean
}

# A second sshd, which passes connections on: without it the board cannot be reached by that name.
case_through_a_jump_host() {
    local jump=$work/jump far=(me@far)
    mkdir "$jump"
    (
        BOARD_MACHINE=
        board_start "$jump" >/dev/null || exit 1
        echo "$BOARD_PID" >"$jump/pid"
    )
    cp "$BOARD_DIR/ssh_config" "$BOARD_DIR/ssh_config.kept"
    {
        printf 'Host far\n    ProxyJump jump\n'
        printf 'Host jump\n    Port %s\n' "$(sed -n 's/^Port //p' "$jump/sshd_config")"
        printf '    IdentityFile %s\n' "$jump/user_key"
        cat "$BOARD_DIR/ssh_config.kept"
    } >"$BOARD_DIR/ssh_config"
    timeout 300 "$tacho" run "$model" --host "${far[@]}" -q >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect_status 0
    kill "$(cat "$jump/pid")"
    rm "$jump/pid"
    wait_until jump_is_gone || fail "the jump host still answers"
    timeout 300 "$tacho" run "$model" --host "${far[@]}" -q >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect_status 1
    expect_error "me@far: cannot connect with ssh"
    mv "$BOARD_DIR/ssh_config.kept" "$BOARD_DIR/ssh_config"
    rm -rf "$jump"
    expect_clean
}

jump_is_gone() { ! ssh jump true 2>/dev/null; }

# ---- what goes wrong ----------------------------------------------------------------------------

case_odd_names() {
    local host
    for host in '-oProxyCommand=touch pwned' 'a;touch pwned' "\$(touch pwned)" 'me@-x' $'a\nb'; do
        status=0
        (cd "$work" && "$tacho" run "$model" --host="$host") >"$work/out" 2>"$work/err" || status=$?
        expect_status 2
        expect_error "is not the name of a host"
    done
    remote --board-path "\$(touch pwned)/\`touch pwned\`/a';touch pwned;'" -q
    expect_status 0
    rm -rf "$BOARD_HOME"/*
    [[ -z $(find "$work" -name pwned) ]] || fail "a name was run by a shell"
    expect_clean
}

case_wrong_key() {
    sed -i.kept "s#^ *IdentityFile .*#    IdentityFile $BOARD_DIR/wrong_key#" "$BOARD_DIR/ssh_config"
    remote
    mv "$BOARD_DIR/ssh_config.kept" "$BOARD_DIR/ssh_config"
    expect_status 1
    expect_error "me@board: cannot connect with ssh"
    expect_error "Permission denied"
    expect_clean
}

case_no_ssh() {
    local bin=$work/nothing
    mkdir "$bin"
    status=0
    PATH=$bin "$tacho" run "$model" --host me@board >"$work/out" 2>"$work/err" || status=$?
    rmdir "$bin"
    expect_status 1
    expect_error "ssh: cannot be run; is it installed?"
}

case_busy() {
    start_long
    remote
    expect_status 1
    expect_error "me@board is in use by $(id -un)@"
    expect_error "--board-wait SECONDS"
    remote --board-wait 1
    expect_status 1
    expect_error "waiting up to 1 s"
    "$tacho" run "$model" --host me@board --board-wait 600 >"$work/waited" 2>"$work/waiting" &
    local waiter=$!
    wait_until grep -q "waiting up to 600 s" "$work/waiting" || fail "does not wait"
    kill -9 "$long" # a lock of a process that is gone is none
    wait "$long" 2>/dev/null
    wait "$waiter" || fail "did not run after the other one: $(cat "$work/waiting")"
    rm -f "$work/waited" "$work/waiting"
    expect_clean
}

case_interrupted() {
    start_long --profile "$work/kept.json"
    kill -INT "$long"
    status=0
    wait "$long" || status=$?
    expect_status 130
    expect_error "interrupted; recorded data is kept"
    [[ -s $work/kept.json ]] || fail "the profile was not written"
    rm -f "$work/kept.json"
    expect_clean
}

case_killed() {
    start_long
    kill -9 "$long"
    wait "$long" 2>/dev/null
    expect_clean
    wait_until no_ssh || fail "ssh still runs"
}

no_ssh() { ! kill -0 "$(cat "$BOARD_DIR/ssh.pid")" 2>/dev/null; }

# The connection is cut while an inference runs: both ends notice.
case_dropped() {
    start_long
    kill -9 "$(cat "$BOARD_DIR/ssh.pid")"
    status=0
    wait "$long" || status=$?
    expect_status 1
    expect_error "me@board: lost the connection while running inference"
    expect_clean
}

# A file may not be as large as the runtime: what a full disk is to a copy.
case_full_disk() {
    rm -rf "$BOARD_HOME"/.cache
    echo "trap '' XFSZ; ulimit -f 100" >"$BOARD_DIR/before"
    remote
    rm "$BOARD_DIR/before"
    expect_status 1
    expect_error "me@board: cannot put the runtime at .cache/tacho/"
    expect_error "cannot copy: "
    expect_error "File too large"
    expect_clean
    remote -q
    expect_status 0
}

# The real thing, which only root can make.
case_small_disk() {
    local disk=$BOARD_HOME/disk
    mkdir "$disk"
    if [[ -z ${TACHO_OWN_MOUNTS:-} ]] || ! mount -t tmpfs -o size=128k none "$disk" 2>/dev/null; then
        rmdir "$disk"
        echo "skip small_disk: only root can mount one"
        return
    fi
    remote --board-path disk/dir/tacho-board
    expect_status 1
    expect_error "me@board: cannot put the runtime at disk/dir/tacho-board there: cannot copy: "
    expect_error "No space left on device"
    wait_until test -z "$(find "$disk" -type f)" || fail "left on the disk: $(find "$disk")"
    umount "$disk"
    rmdir "$disk"
    expect_clean
}

# A directory of someone else.
case_not_writable() {
    [[ $(id -u) != 0 ]] || return 0 # root may write everywhere
    mkdir -m 555 "$BOARD_HOME/theirs"
    remote --board-path theirs/tacho-board
    expect_status 1
    expect_error "me@board: cannot put the runtime at theirs/tacho-board there: cannot write there: "
    expect_error "Permission denied"
    remote --board-path theirs/mine/tacho-board
    expect_status 1
    expect_error "cannot put the runtime at theirs/mine/tacho-board there: mkdir: "
    rmdir "$BOARD_HOME/theirs"
    expect_clean
}

case_read_only() {
    echo "file in the way" >"$BOARD_HOME/file"
    remote --board-path file/tacho-board
    rm "$BOARD_HOME/file"
    expect_status 1
    expect_error "cannot put the runtime at file/tacho-board there: mkdir"
    expect_clean
}

# The connection is cut in the middle of the copy: the board is told by the end of its input.
case_dropped_copy() {
    rm -rf "$BOARD_HOME"/.cache
    mkdir "$BOARD_DIR/slow"
    printf '#!/bin/sh\ntouch %q\ncat\n' "$BOARD_DIR/copying" >"$BOARD_DIR/slow/head" # takes all, and waits
    chmod 755 "$BOARD_DIR/slow/head"
    echo "PATH=$BOARD_DIR/slow:\$PATH" >"$BOARD_DIR/before"
    "$tacho" run "$model" --host me@board >"$work/out" 2>"$work/err" &
    long=$!
    wait_until test -e "$BOARD_DIR/copying" || fail "no copy begins"
    kill -9 "$(cat "$BOARD_DIR/ssh.pid")"
    status=0
    wait "$long" || status=$?
    rm -r "$BOARD_DIR/before" "$BOARD_DIR/slow" "$BOARD_DIR/copying"
    expect_status 1
    expect_error "me@board: lost the connection while"
    expect_clean
}

case_other_processor() {
    mkdir "$BOARD_DIR/other"
    printf '#!/bin/sh\necho riscv64\n' >"$BOARD_DIR/other/uname"
    chmod 755 "$BOARD_DIR/other/uname"
    echo "PATH=$BOARD_DIR/other:\$PATH" >"$BOARD_DIR/before"
    remote
    expect_status 1
    expect_error "me@board: the board is riscv64, and no runtime for that is installed with tacho; building tacho"
    expect_error "--board-runtime FILE"
    remote --board-runtime "$runtime"
    rm -r "$BOARD_DIR/before" "$BOARD_DIR/other"
    expect_status 2
    expect_error "a runtime for $machine, but the board is riscv64"
    expect_clean
}

case_cannot_run_there() {
    printf '#!/no/such/interpreter\n' >"$work/odd"
    remote --board-runtime "$work/odd"
    rm "$work/odd"
    expect_status 1
    expect_error "lost the connection while starting the runtime"
    rm -rf "$BOARD_HOME"/.cache
    expect_clean
}

# What a login shell prints is not the board's answer.
case_talkative_shell() {
    echo "echo Welcome to the board; echo 'tacho-board'" >"$BOARD_DIR/before"
    remote -q
    rm "$BOARD_DIR/before"
    expect_status 0
    expect_clean
}

# One that prints without end is an error, not a wait without end.
case_endless_shell() {
    echo "exec yes" >"$BOARD_DIR/before"
    remote
    rm "$BOARD_DIR/before"
    expect_status 1
    expect_error "me@board: a shell there prints text without end"
    expect_clean
}

# What is no message.
case_garbage() {
    printf '#!/bin/sh\nprintf "no message at all, but a long text"\nexec yes\n' >"$work/garbage"
    remote --board-runtime "$work/garbage"
    expect_status 1
    expect_error "what arrived is not a message of a tacho runtime"
    expect_error "me@board, while starting the runtime"
    rm "$work/garbage"
    rm -rf "$BOARD_HOME"/.cache
    expect_clean
}

# A line that has no end is as good as lines without end.
case_endless_line() {
    echo "exec tr '\\0' x </dev/zero" >"$BOARD_DIR/before"
    remote
    rm "$BOARD_DIR/before"
    expect_status 1
    expect_error "me@board: the shell there sent a line of more than 65536 bytes while starting a shell"
    expect_clean
}

# lie MODE ARGUMENT...: starts a run with a runtime that does not tell the truth (liar.py), which has a place
# and a lock of its own.
lie() {
    local name=${1// /-}
    sed "s#@RUNTIME@#$runtime#; s#@MODE@#$1#" "$here/liar.py" >"$work/liar-$name"
    shift
    {
        timeout 300 "$tacho" run "$model" --host me@board --board-runtime "$work/liar-$name" \
            --board-path "lies/$name/tacho-board" "$@" >"$work/out-$name" 2>"$work/err-$name" </dev/null
        echo $? >"$work/status-$name"
    } &
}

# expect_lie MODE STATUS TEXT...: how it ended, and what is said about it.
expect_lie() {
    local name=${1// /-} text
    mv "$work/out-$name" "$work/out"
    mv "$work/err-$name" "$work/err"
    status=$(cat "$work/status-$name")
    rm "$work/status-$name" "$work/liar-$name"
    expect_status "$2"
    for text in "${@:3}"; do expect_error "$text"; done
}

# However long, late, odd or damaged an answer is, or if there is none: an error that says so, soon, and no
# memory for it.
case_lies() {
    [[ -z ${BOARD_MACHINE:-} ]] || return 0 # what the board lies about has no processor
    local mode is=" bytes; expected at most "
    for mode in "endless hello" "endless load" "endless result" late clock terminal errors older; do lie "$mode"; done
    for mode in "endless value" shape damage; do lie "$mode" --output "@$work/value.npy"; done
    lie long -n 2
    lie stuck --timeout 5
    for mode in $(jobs -p); do [[ $mode == "$BOARD_PID" ]] || wait "$mode"; done
    expect_lie "endless hello" 1 "a message of the runtime (HELLO) has 4611686018427387904${is}1048576"
    expect_lie "endless load" 1 "a message of the runtime (LOADED) has 4611686018427387904$is"
    expect_lie "endless result" 1 "a message of the runtime (RESULT) has 4611686018427387904$is"
    expect_lie "endless value" 1 "a message of the runtime (VALUE) has 4611686018427387904$is"
    expect_lie late 1 "a message of the runtime (RESULT) is damaged"
    expect_lie long 1 "the times of the runtime cannot be true: they add up to more than 73 years"
    expect_lie clock 1 "what arrived is not a message of a tacho runtime"
    expect_lie shape 1 "output 0 is " "sent by me@board"
    expect_lie terminal 1 '\x1b[2Jsorry\x07'
    expect_lie errors 0
    expect_lie older 1 \
        "the runtime is version 0.0.1 (protocol 1), and this is $("$tacho" --version | sed 's/^tacho \([0-9.]*\).*/\1/')"
    expect_lie damage 1 "a message (VALUE) was damaged on its way: the checksum of its 56 bytes is wrong" \
        "me@board, while fetching output 0"
    expect_lie stuck 1 "me@board: no answer for 5 s while running inference 0" "--timeout SECONDS"
    [[ ! -e $work/value.npy ]] || fail "a value that was refused is written"
    lie long -n 1
    wait "$!"
    expect_lie long 0
    rm -rf "$BOARD_HOME"/lies "$BOARD_LOCK".*
    expect_clean
}

# A board that says nothing is waited for; Ctrl-C ends that.
case_silent() {
    sed "s#@MODE@#silent#" "$here/liar.py" >"$work/liar"
    "$tacho" run "$model" --host me@board --board-runtime "$work/liar" >"$work/out" 2>"$work/err" </dev/null &
    long=$!
    wait_until grep -q "copied the runtime" "$work/err" || fail "no runtime is copied"
    kill -INT "$long"
    status=0
    wait "$long" || status=$?
    rm "$work/liar"
    rm -rf "$BOARD_HOME"/.cache
    expect_status 130
    wait_until no_ssh || fail "ssh still runs"
    expect_clean
}

# One that says nothing any more in the middle of an inference is given up by a second Ctrl-C.
case_stuck() {
    [[ -z ${BOARD_MACHINE:-} ]] || return 0
    sed "s#@RUNTIME@#$runtime#; s#@MODE@#stuck#" "$here/liar.py" >"$work/liar"
    "$tacho" run "$model" --host me@board --board-runtime "$work/liar" >"$work/out" 2>"$work/err" </dev/null &
    long=$!
    wait_until test -e "$BOARD_LOCK.reached" || fail "no run begins" # to try the lock is to hold it
    wait_until ended_by_interrupts || fail "does not end"
    status=0
    wait "$long" || status=$?
    rm "$work/liar" "$BOARD_LOCK".*
    rm -rf "$BOARD_HOME"/.cache
    expect_status 130
    wait_until no_ssh || fail "ssh still runs"
    expect_clean
}

ended_by_interrupts() { ! kill -INT "$long" 2>/dev/null; }

# A copy that was left when the board was switched off goes with the next one; others' files stay.
case_old_copies() {
    local dir=$BOARD_HOME/old
    mkdir "$dir"
    touch "$dir/tacho-board.new.99999999" "$dir/tacho-board.2"
    remote --board-path old/tacho-board -q
    expect_status 0
    [[ $(cd "$dir" && echo *) == "tacho-board tacho-board.2" ]] || fail "there is: $(ls -A "$dir")"
    rm -r "$dir"
    expect_clean
}

case_failure_of_the_program() {
    remote --input 3xf32=1
    expect_status 2
    "$tacho" run "$model" --input 3xf32=1 2>"$work/near.err"
    diff "$work/near.err" <(grep -v 'copied the runtime' "$work/err") || fail "another message than here"
    rm "$work/near.err"
    expect_clean
}

# -------------------------------------------------------------------------------------------------

current=start
board_start "$work/board" || exit
export PATH=$BOARD_BIN:$PATH TMPDIR=$work/tmp
mkdir "$TMPDIR"
cases=("$@")
((${#cases[@]} > 0)) || mapfile -t cases < <(declare -F | sed -n 's/^declare -f case_//p')
for current in "${cases[@]}"; do
    began=$failed
    failed=0
    "case_$current"
    ((failed)) || echo "pass $current"
    ((failed |= began))
done
exit $failed
