import assert from "node:assert/strict";
import {
  isCredentialHeader,
  isGuardedHeader,
} from "../../src/model/credential_header.ts";

Deno.test("isCredentialHeader() and isGuardedHeader() tell headers apart, however they are written", () => {
  const credentials = "Authorization proxy-authorization Cookie x-api-key " +
    "X-Goog-Api-Key x-auth-token client-secret";
  const framing = "Host content-length Content-Type transfer-encoding " +
    "connection";
  const others = "accept user-agent anthropic-version x-host x-content-type";
  for (const name of credentials.split(" ")) {
    assert(isCredentialHeader(name) && isGuardedHeader(name), name);
  }
  for (const name of framing.split(" ")) {
    assert(!isCredentialHeader(name) && isGuardedHeader(name), name);
  }
  for (const name of others.split(" ")) assert(!isGuardedHeader(name), name);
});
