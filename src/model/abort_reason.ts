/** The reason of an abort that nobody has to explain. */
export function abortReason(): DOMException {
  return new DOMException("Aborted", "AbortError");
}
