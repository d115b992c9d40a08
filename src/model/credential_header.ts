const CREDENTIAL =
  /^(authorization|proxy-authorization|cookie)$|key|token|secret/i;
const FRAMING =
  /^(host|content-length|content-type|transfer-encoding|connection)$/i;

/** True for the name of a header that holds a credential, or may. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL.test(name);
}

/** True for a header that plugins may neither see nor set: it holds a credential, or says how the body is framed. */
export function isGuardedHeader(name: string): boolean {
  return isCredentialHeader(name) || FRAMING.test(name);
}
