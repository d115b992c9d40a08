import type { Need } from "../../support/needs.ts";
import { type Attack, commands } from "../attack.ts";

/** A system call by its number, in Perl, which git needs anyway; it succeeded unless it says -1. */
function systemCall(
  name: string,
  call: string,
  /** Root alone may do it: then the sandbox also takes the right away. */
  needs?: Need,
): Attack {
  return {
    name,
    wants: { does: "the call is answered" },
    ...(needs ? { needs } : {}),
    ...commands(
      `perl -e '${call} != -1 and print "ESC", "APED"'`,
      needs ? "sandbox twice" : "sandbox system calls",
    ),
  };
}

/** Doors of the system itself. */
export const SYSTEM_CALLS: Attack[] = [
  systemCall("lets itself be traced", "syscall({sys_ptrace}, 0, 0, 0, 0)"),
  systemCall(
    "traces another process",
    "$pid = fork // die; $pid or sleep 9; $r = syscall({sys_ptrace}, 0x4206, $pid, 0, 0); kill 9, $pid; $r",
  ),
  systemCall(
    "reads the memory of another process",
    "$pid = fork // die; $pid or sleep 9; $buffer = qq(\\0) x 32; $r = syscall({sys_process_vm_readv}, $pid, $buffer, 0, $buffer, 0, 0); kill 9, $pid; $r",
  ),
  systemCall(
    "starts a queue that files are opened with",
    "syscall({sys_io_uring_setup}, 1, my $p = qq(\\0) x 120)",
  ),
  systemCall(
    "makes a user namespace, in which it is root",
    "syscall({sys_unshare}, 0x10000000)",
  ),
  systemCall(
    "starts a process in a user namespace",
    "$pid = syscall({sys_clone}, 0x10000011, 0, 0, 0, 0); $pid or exit; $pid",
  ),
  systemCall(
    "compares what two processes have open",
    "syscall({sys_kcmp}, $$ + 0, $$ + 0, 0, 0, 0)",
  ),
  systemCall(
    "stores a key with the system",
    "syscall({sys_add_key}, my $t = qq(user), my $d = qq(tau-escape), my $p = qq(x), 1, -2)",
  ),
  systemCall(
    "takes a descriptor out of another process",
    "$fd = syscall({sys_pidfd_open}, $$ + 0, 0); syscall({sys_pidfd_getfd}, $fd, 0, 0)",
  ),
  systemCall(
    "opens a tree of mounts",
    "syscall({sys_open_tree}, -100, my $p = qq(/tmp), 0)",
  ),
  systemCall(
    "watches the processor",
    "syscall({sys_perf_event_open}, my $p = pack(q(LLx112), 1, 120), 0, -1, -1, 0)",
    "root",
  ),
  systemCall(
    "handles faults of memory",
    "syscall({sys_userfaultfd}, 1)",
  ),
  systemCall(
    "makes a map for programs in the kernel of the system",
    "syscall({sys_bpf}, 0, my $p = pack(q(L4x56), 2, 4, 4, 1), 72)",
    "root",
  ),
  systemCall(
    "reads the log of the system",
    "syscall({sys_syslog}, 10, 0, 0)",
    "root",
  ),
  systemCall(
    "opens a file system",
    "syscall({sys_fsopen}, my $p = qq(tmpfs), 0)",
    "root",
  ),
  systemCall(
    "mounts a file system",
    "mkdir q(mounted); $r = syscall({sys_mount}, my $s = qq(none), my $t = qq(mounted), my $f = qq(tmpfs), 0, 0); system q(umount mounted 2>/dev/null); $r",
    "root",
  ),
  {
    name: "makes a namespace with a program",
    wants: { does: "a program runs as root in it" },
    ...commands("unshare -Ur true && echo ESC''APED", "sandbox twice"),
  },
  {
    name: "opens a socket of virtual machines",
    wants: { does: "the socket is there" },
    ...commands(
      `perl -e 'socket(S, 40, 1, 0) and print "ESC", "APED"'`,
      "sandbox system calls",
    ),
  },
  {
    name: "opens a socket for raw packets",
    wants: { does: "the socket is there" },
    needs: "root",
    ...commands(
      `perl -e 'socket(S, 17, 3, 0) and print "ESC", "APED"'`,
      "sandbox twice",
    ),
  },
  {
    name: "opens a setting of the system for writing",
    wants: { does: "it is open" },
    needs: "root",
    ...commands(
      "(: >>/proc/sys/vm/swappiness) && echo ESC''APED",
      "sandbox settings of the system",
    ),
  },
  {
    name: "makes a device of its own and reads it",
    wants: { does: "the device is there" },
    needs: "root",
    setUp: "rm -f device",
    ...commands(
      "mknod device c 1 3 && echo x >device && echo ESC''APED",
      "sandbox twice",
    ),
  },
  {
    name: "becomes another user",
    wants: { does: "it is somebody else" },
    needs: "root",
    ...commands(
      `perl -e '$) = 65534; $> = 65534; $> == 65534 and print "ESC", "APED"'`,
      "sandbox privileges",
    ),
  },
];
