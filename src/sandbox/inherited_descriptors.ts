/** Numbers of fcntl.h on Linux. */
const F_SETFD = 2;
const FD_CLOEXEC = 1;

let isDone = false;

/**
 * Has the descriptors that whoever started this process left open in it end
 * here: nothing that is started from now on gets them. A sandbox hides files
 * and folders, not what is open already, and an open folder leads to all that
 * was below it. Deno's own descriptors end here anyway, and it has no call for
 * others. Does nothing but on Linux; there it needs `-A`.
 */
export function closeInheritedOnExec(): void {
  if (isDone || Deno.build.os !== "linux") return;
  // Deno is linked with it, so that it is loaded already.
  const libc = Deno.dlopen("libc.so.6", {
    fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  });
  try {
    for (const { name } of Deno.readDirSync("/proc/self/fd")) {
      const descriptor = Number(name);
      if (descriptor > 2) libc.symbols.fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
  } finally {
    libc.close();
  }
  isDone = true;
}
