import { assembleBpf, type BpfStep } from "./bpf_program.ts";

/** Names of system calls on one kind of processor. */
interface Architecture {
  /** `AUDIT_ARCH_…` of linux/audit.h. */
  audit: number;
  calls: {
    socket: number;
    clone: number;
    clone3: number;
    unshare: number;
    ioctl: number;
  };
  /** Calls that no child of a run has a use for. */
  refused: readonly number[];
  /** From this number on, calls belong to another set of them: x32. */
  firstForeign?: number;
}

/** Calls that have one number everywhere, since they are young. */
const YOUNG = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
};

const ARCHITECTURES: Partial<Record<typeof Deno.build.arch, Architecture>> = {
  x86_64: {
    audit: 0xc000003e,
    calls: { socket: 41, clone: 56, clone3: 435, unshare: 272, ioctl: 16 },
    refused: refused({
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      setns: 308,
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      open_by_handle_at: 304,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      syslog: 103,
      acct: 163,
      quotactl: 179,
      reboot: 169,
      kexec_load: 246,
      kexec_file_load: 320,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
    }),
    firstForeign: 0x40000000,
  },
  aarch64: {
    audit: 0xc00000b7,
    calls: { socket: 198, clone: 220, clone3: 435, unshare: 97, ioctl: 29 },
    refused: refused({
      ptrace: 117,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      setns: 268,
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      open_by_handle_at: 265,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      syslog: 116,
      acct: 89,
      quotactl: 60,
      reboot: 142,
      kexec_load: 104,
      kexec_file_load: 294,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
    }),
  },
};

// Offsets in `struct seccomp_data` of linux/seccomp.h; of an argument, its low half.
const CALL = 0;
const ARCH = 4;
const argument = (n: number) => 16 + 8 * n;

const ALLOW = 0x7fff0000;
const fail = (errno: number) => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;

const CLONE_NEWUSER = 0x10000000;
/** TIOCSTI and TIOCLINUX: they put input into a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];

/**
 * The filter of system calls that everything in a sandbox runs under, or
 * undefined for a processor that it does not know. A filter cannot see where a
 * socket leads, so that all unix sockets are refused or none; `socketpair`
 * always works. `clone3` hides its flags from a filter: it does not exist, and
 * whoever finds that uses `clone`.
 */
export function seccompFilter(
  arch: typeof Deno.build.arch,
  { unixSockets }: { unixSockets: boolean },
): Uint8Array<ArrayBuffer> | undefined {
  const known = ARCHITECTURES[arch];
  if (!known) return undefined;
  const { audit, calls, refused, firstForeign } = known;
  const families = [AF_INET, AF_INET6, AF_NETLINK];
  if (unixSockets) families.push(AF_UNIX);
  const steps: BpfStep[] = [
    { load: ARCH },
    { ifEqual: audit, goTo: "known" },
    { goTo: "absent" },
    { label: "known" },
    { load: CALL },
    ...(firstForeign === undefined
      ? []
      : [{ ifAtLeast: firstForeign, goTo: "absent" }]),
    { ifEqual: calls.socket, goTo: "socket" },
    { ifEqual: calls.clone, goTo: "namespaces" },
    { ifEqual: calls.unshare, goTo: "namespaces" },
    { ifEqual: calls.ioctl, goTo: "terminal" },
    { ifEqual: calls.clone3, goTo: "absent" },
    ...refused.map((call) => ({ ifEqual: call, goTo: "refused" })),
    { give: ALLOW },

    { label: "socket" },
    { load: argument(0) },
    ...families.map((family) => ({ ifEqual: family, goTo: "allowed" })),
    { goTo: "refused" },

    { label: "namespaces" },
    { load: argument(0) },
    { ifAnyBit: CLONE_NEWUSER, goTo: "refused" },
    { give: ALLOW },

    { label: "terminal" },
    { load: argument(1) },
    ...TERMINAL_REQUESTS.map((one) => ({ ifEqual: one, goTo: "refused" })),

    { label: "allowed" },
    { give: ALLOW },
    { label: "refused" },
    { give: fail(EPERM) },
    { label: "absent" },
    { give: fail(ENOSYS) },
  ];
  return assembleBpf(steps);
}

function refused(old: Record<string, number>): number[] {
  return [...Object.values(old), ...Object.values(YOUNG)];
}
