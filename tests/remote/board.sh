# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# A board on this computer: a real sshd on a free port of the loopback, with its own keys, for root and
# for ordinary users. It has its own root directory: whoever logs in is at home in home/root there.
#
#   board_start DIR    starts it; afterwards `ssh` of $BOARD_BIN, first on PATH, reaches every host
#                      name there, with whatever user name: an ssh configuration of its own says so.
#                      77: this user cannot log in anywhere, and why is printed
#   board_stop         ends it
#
# With BOARD_MACHINE=aarch64 the board is one of that processor: `uname` there says so, and qemu runs the
# runtime, as the kernel of a computer would that has been told to.
#
# Variables: BOARD_HOME (home directory on the board), BOARD_BIN, BOARD_LOCK. The number of the last ssh
# that was started is in $BOARD_DIR/ssh.pid.

board_sshd() {
    local sshd
    for sshd in /usr/sbin/sshd /usr/local/sbin/sshd; do
        [[ ! -x $sshd ]] || { echo "$sshd"; return; }
    done
    return 1
}

# sshd runs commands by the login shell of a user who exists.
board_check_user() {
    local entry shell
    entry=$(getent passwd "$(id -u)") || { echo "skip: user $(id -u) has no entry in /etc/passwd"; return 77; }
    shell=${entry##*:}
    case ${shell:-/bin/sh} in
        */nologin | */false) echo "skip: ${entry%%:*} cannot log in: its shell is $shell"; return 77 ;;
    esac
    [[ -x ${shell:-/bin/sh} ]] || { echo "skip: ${entry%%:*} cannot log in: no shell $shell"; return 77; }
}

# What every command on the board runs in: its own home directory and lock.
board_write_shell() {
    mkdir -p "$BOARD_HOME"
    cat >"$BOARD_DIR/shell" <<SHELL
#!/bin/sh
export HOME='$BOARD_HOME' TACHO_BOARD_LOCK='$BOARD_LOCK'
cd "\$HOME" || exit 1
$(board_emulate)
[ ! -f '$BOARD_DIR/before' ] || . '$BOARD_DIR/before'
exec /bin/sh -c "\$SSH_ORIGINAL_COMMAND"
SHELL
    chmod 755 "$BOARD_DIR/shell"
}

# Lines of that shell: nothing where the board has the processor of this computer.
board_emulate() {
    [[ -n ${BOARD_MACHINE:-} ]] || return 0
    mkdir -p "$BOARD_DIR/emulated"
    printf '#!/bin/sh\necho %s\n' "$BOARD_MACHINE" >"$BOARD_DIR/emulated/uname"
    cat >"$BOARD_DIR/emulated/start" <<START
#!/bin/sh
IFS= read -r first <"\$1"
case \$first in '#!'*) exec "\$1" ;; esac
exec $(board_qemu) "\$1"
START
    chmod 755 "$BOARD_DIR/emulated/uname" "$BOARD_DIR/emulated/start"
    cat <<SHELL
PATH='$BOARD_DIR/emulated':\$PATH
SSH_ORIGINAL_COMMAND=\$(printf %s "\$SSH_ORIGINAL_COMMAND" |
    sed 's#exec "\$path"#exec "$BOARD_DIR/emulated/start" "\$path"#')
SHELL
}

board_qemu() {
    command -v "qemu-$BOARD_MACHINE-static" || command -v "qemu-$BOARD_MACHINE"
}

board_write_keys() {
    ssh-keygen -q -t ed25519 -N '' -f "$BOARD_DIR/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$BOARD_DIR/user_key"
    ssh-keygen -q -t ed25519 -N '' -f "$BOARD_DIR/wrong_key"
    cp "$BOARD_DIR/user_key.pub" "$BOARD_DIR/authorized_keys"
}

board_write_config() {
    local port=$1
    cat >"$BOARD_DIR/sshd_config" <<CONFIG
Port $port
ListenAddress 127.0.0.1
HostKey $BOARD_DIR/host_key
AuthorizedKeysFile $BOARD_DIR/authorized_keys
PidFile $BOARD_DIR/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
ForceCommand $BOARD_DIR/shell
LogLevel ERROR
CONFIG
    cat >"$BOARD_DIR/ssh_config" <<CONFIG
Host *
    HostName 127.0.0.1
    Port $port
    User $(id -un)
    IdentityFile ${BOARD_KEY:-$BOARD_DIR/user_key}
    IdentitiesOnly yes
    IdentityAgent none
    StrictHostKeyChecking no
    UserKnownHostsFile $BOARD_DIR/known_hosts
    ControlPath none
    LogLevel ERROR
CONFIG
}

# The user's name on the command line would win over that of a configuration, but not over -l.
board_write_ssh() {
    mkdir -p "$BOARD_BIN"
    cat >"$BOARD_BIN/ssh" <<SSH
#!/bin/sh
echo \$\$ >'$BOARD_DIR/ssh.pid'
exec $(PATH=/usr/bin:/bin:$PATH command -v ssh) -F '$BOARD_DIR/ssh_config' -l '$(id -un)' "\$@"
SSH
    chmod 755 "$BOARD_BIN/ssh"
}

# The same without a port: each ssh starts an sshd of its own and talks to it through a pipe.
board_write_pipe() {
    BOARD_SSHD=$(board_sshd) || { echo "skip: no sshd (openssh-server)"; return 77; }
    board_check_user || return
    mkdir -p "$1"
    BOARD_DIR=$(cd "$1" && pwd)
    BOARD_HOME=$BOARD_DIR/root/home/root BOARD_BIN=$BOARD_DIR/bin BOARD_LOCK=$BOARD_DIR/lock
    [[ $(id -u) != 0 ]] || mkdir -p /run/sshd
    board_write_keys
    board_write_shell
    board_write_ssh
    board_write_config 22
    echo "    ProxyCommand $BOARD_SSHD -i -e -f $BOARD_DIR/sshd_config" >>"$BOARD_DIR/ssh_config"
}

# A port that was free a moment ago; sshd ends at once where it is not any more.
board_free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

board_answers() {
    ssh -F "$BOARD_DIR/ssh_config" board true 2>"$BOARD_DIR/answer"
}

board_try() {
    local i
    board_write_config "$(board_free_port)"
    "$BOARD_SSHD" -D -e -f "$BOARD_DIR/sshd_config" 2>"$BOARD_DIR/sshd.log" &
    BOARD_PID=$!
    for ((i = 0; i < 600; i++)); do
        ! board_answers || return 0
        kill -0 "$BOARD_PID" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

board_start() {
    local i
    BOARD_SSHD=$(board_sshd) || { echo "skip: no sshd (openssh-server)"; return 77; }
    board_check_user || return
    mkdir -p "$1"
    BOARD_DIR=$(cd "$1" && pwd)
    BOARD_HOME=$BOARD_DIR/root/home/root BOARD_BIN=$BOARD_DIR/bin BOARD_LOCK=$BOARD_DIR/lock
    [[ $(id -u) != 0 ]] || mkdir -p /run/sshd # of sshd's own, which it wants where root runs it
    board_write_keys
    board_write_shell
    board_write_ssh
    for ((i = 0; i < 5; i++)); do
        ! board_try || return 0
        board_stop
    done
    echo "sshd does not answer: $(cat "$BOARD_DIR/sshd.log" "$BOARD_DIR/answer")" >&2
    return 1
}

board_stop() {
    [[ -z ${BOARD_PID:-} ]] || { kill "$BOARD_PID" 2>/dev/null; wait "$BOARD_PID" 2>/dev/null; }
    BOARD_PID=
}
