#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Boards and ordinary users: all that tests/remote/run.sh and the pytest plugin do, done by a user who is not
# root; and two users who share a board. Root becomes them in a mount namespace, in which /etc/passwd knows
# them; nothing of the computer is changed.
#
#   tests/remote/users.sh BUILD_DIR [CASE...]
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $1 != --inside ]]; then
    [[ $(id -u) == 0 ]] || { echo "skip: needs root; whoever else runs the test 'remote' is such a user"; exit 77; }
    unshare --mount true 2>/dev/null || { echo "skip: no mount namespaces"; exit 77; }
    exec unshare --mount bash "${BASH_SOURCE[0]}" --inside "$@"
fi
build=$(cd "$2" && pwd)
shift 2
# shellcheck source-path=SCRIPTDIR source=board.sh
. "$here/board.sh"
[[ -n $(board_sshd) ]] || { echo "skip: no sshd (openssh-server)"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-users.XXXXXX") || exit 2
failed=0
trap 'board_stop; rm -rf "$work"' EXIT

fail() {
    echo "FAIL $current: $*"
    failed=1
}

# Two users whom nobody else is, with a shell and a home directory.
add_users() {
    local name id=54321
    chmod 755 "$work"
    cp /etc/passwd /etc/group "$work"
    for name in tacho-ann tacho-bob; do
        while getent passwd "$id" >/dev/null; do ((id++)); done
        echo "$name:x:$id:$id::$work/$name:/bin/sh" >>"$work/passwd"
        echo "$name:x:$id:" >>"$work/group"
        mkdir "$work/$name"
        chown "$id:$id" "$work/$name"
        ((id++))
    done
    mount --bind "$work/passwd" /etc/passwd && mount --bind "$work/group" /etc/group
}

# as NAME COMMAND...
as() {
    local name=$1
    shift
    (cd "$work/$name" && setpriv --reuid "$name" --regid "$name" --clear-groups \
        env HOME="$work/$name" USER="$name" LOGNAME="$name" TMPDIR="$work/$name" PYTHONDONTWRITEBYTECODE=1 "$@")
}

# ---- what one user does -------------------------------------------------------------------------

case_run_host() {
    as tacho-ann bash "$here/run.sh" "$build" same_as_here copies_once cpu_is_measured_there path_of_the_user \
        through_a_jump_host busy interrupted killed read_only not_writable full_disk wrong_key garbage ||
        fail "an ordinary user cannot use a board"
}

# The line of the document as it is printed, for root@10.46.130.17, whose home directory is below the board's
# own root.
case_document() {
    local line
    command -v pytest >/dev/null || return 0
    ! grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" || [[ -e $here/../../build/src/libtacho.so ]] || return 0
    line=$(sed -n '/^id: 001-6$/,/^check:/p' "$here/../seeds/lines/001.seed" | grep '^    ')
    [[ $line == *pytest*--torq-addr\ root@10.46.130.17* ]] || { fail "no such line"; return; }
    # shellcheck disable=SC2016
    as tacho-ann env REPOSITORY="$(cd "$here/../.." && pwd)" PATH="$build/bin:$PATH" bash -c '
        . "$REPOSITORY/tests/seeds/fixtures.sh"
        onnx_model_test_py && board && PATH=$PWD/board/bin:$PATH && eval "$1"' - "$line" >"$work/out" 2>&1 ||
        fail "$(tail -n 20 "$work/out")"
    grep -q '^=* Simulated Profile Overview =*$' "$work/out" || fail "no overview"
    grep -q '^  WALL_TIME' "$work/out" || fail "no wall time"
    [[ -s $(echo "$work"/tacho-ann/board/root/home/root/.cache/tacho/tacho-ann/tacho-board) ]] ||
        fail "no runtime at its own path"
    [[ ! -e $work/tacho-ann/board/root/home/root/iree-build-soc ]] || fail "something at the path of the vendor"
    rm -rf "$work"/tacho-ann/{board,tests,profile}
}

case_pytest() {
    as tacho-ann bash "$here/../python/run.sh" "$build" full test_pytest_plugin.Sessions.test_remote_session \
        test_pytest_plugin.Sessions.test_workers_on_one_board || [[ $? == 77 ]] ||
        fail "an ordinary user cannot test on a board"
}

# ---- two users of one board ---------------------------------------------------------------------

# An ssh for each, who logs in by that name, and has a home directory of that name there.
add_logins() {
    local name
    cat >"$BOARD_DIR/shell" <<SHELL
#!/bin/sh
export HOME="$work/\$(id -un)/board" TACHO_BOARD_LOCK='$work/shared/lock'
mkdir -p "\$HOME" && cd "\$HOME" || exit 1
exec /bin/sh -c "\$SSH_ORIGINAL_COMMAND"
SHELL
    mkdir -m 1777 "$work/shared"
    for name in tacho-ann tacho-bob; do
        cp "$BOARD_DIR/user_key" "$work/$name/key"
        chown "$name:$name" "$work/$name/key"
        sed "s#IdentityFile .*#IdentityFile $work/$name/key#; s#UserKnownHostsFile .*#UserKnownHostsFile /dev/null#" \
            "$BOARD_DIR/ssh_config" >"$work/$name/config"
        mkdir "$work/$name/bin"
        printf '#!/bin/sh\nexec /usr/bin/ssh -F %q -l %q "$@"\n' "$work/$name/config" "$name" >"$work/$name/bin/ssh"
        chmod 755 "$work/$name/bin/ssh"
    done
}

# run_as NAME ARGUMENT...: a run on the board; the number of the process is in its home directory.
run_as() {
    local name=$1
    shift
    # shellcheck disable=SC2016
    as "$name" env PATH="$work/$name/bin:$PATH" sh -c 'echo $$ >pid; exec "$@"' - \
        "$build/bin/tacho" run "$here/../data/run/pair.mlir" --host me@board "$@"
}

# Both may lock the file, whoever made it, and each is told who has it; what one leaves is not in the other's way.
case_two_users() {
    local i long
    board_start "$work/board" || { fail "no board"; return; }
    add_logins
    run_as tacho-ann -q >"$work/out" 2>&1 || fail "ann: $(cat "$work/out")"
    run_as tacho-bob -q >"$work/out" 2>&1 || fail "bob, with ann's lock: $(cat "$work/out")"
    run_as tacho-ann -n 10000000 --samples 1 --stats-dir "$work/tacho-ann/stats" >"$work/long" 2>&1 </dev/null &
    long=$!
    for ((i = 0; i < 1200; i++)); do
        ! compgen -G "$work/tacho-ann/stats/*" >/dev/null || break
        sleep 0.1
    done
    ! run_as tacho-bob >"$work/out" 2>&1 || fail "two at a time"
    grep -q "me@board is in use by tacho-ann@" "$work/out" || fail "bob is not told: $(cat "$work/out")"
    kill -INT "$(cat "$work/tacho-ann/pid")"
    wait "$long"
    run_as tacho-bob --board-wait 600 -q >"$work/out" 2>&1 || fail "bob, after ann: $(cat "$work/out")"
    [[ $(cd "$work/shared" && echo *) == lock ]] || fail "left behind: $(ls -A "$work/shared")"
}

# -------------------------------------------------------------------------------------------------

add_users || { echo "skip: cannot mount over /etc/passwd"; exit 77; }
as tacho-ann test -r "$build/src/libtacho.so" -a -x "$build/bin/tacho" -a -r "$here/run.sh" ||
    { echo "skip: other users cannot read $build"; exit 77; }
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
