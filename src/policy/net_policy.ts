/** Addresses that a run may reach: none, all, or those of these hosts, which code in the kernel asks through the host. */
export type NetPolicy = "none" | "all" | readonly string[];

/**
 * True when an address may be asked. A host is `example.com`, which stands for
 * every port, `example.com:8080`, or `*.example.com` for all below it.
 */
export function allowsAddress(
  net: NetPolicy,
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
): boolean {
  if (typeof net === "string") return net === "all";
  const known = port || (protocol === "https:" ? "443" : "80");
  return net.some((host) => {
    const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
    if (wanted !== undefined && wanted !== known) return false;
    return name.startsWith("*.")
      ? hostname.endsWith(name.slice(1))
      : hostname === name;
  });
}
