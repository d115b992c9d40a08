import assert from "node:assert/strict";
import { allowsAddress } from "../../src/policy/net_policy.ts";

Deno.test("allowsAddress() compares hosts whole, ports where they are named, and names below a star", () => {
  const net = ["a.com", "b.com:8080", "*.c.com"];
  const allowed = [
    "http://a.com/",
    "https://a.com:444/",
    "http://b.com:8080/x",
    "https://x.c.com/",
    "https://y.x.c.com/",
  ];
  const refused = [
    "https://aa.com/",
    "https://a.com.evil.org/",
    "https://evil.org/a.com",
    "https://a.com@evil.org/",
    "http://b.com/",
    "https://c.com/",
    "https://evilc.com/",
  ];
  for (const url of allowed) assert(allowsAddress(net, new URL(url)), url);
  for (const url of refused) assert(!allowsAddress(net, new URL(url)), url);
  assert(allowsAddress("all", new URL("https://x.org")));
  assert(!allowsAddress("none", new URL("https://a.com")));
  assert(allowsAddress(["d.com:443"], new URL("https://d.com/")));
  assert(allowsAddress(["[::1]:80"], new URL("http://[::1]/")));
  assert(allowsAddress(["[::1]"], new URL("http://[::1]:81/")));
  assert(!allowsAddress(["[::1]:80"], new URL("http://[::1]:81/")));
});
