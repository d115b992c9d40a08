/**
 * Counts the listeners of one signal, from now on. It covers the signal's own
 * methods only, so no other signal is affected.
 */
export function countListeners(signal: AbortSignal): { left(): number } {
  const listeners = new Set<EventListenerOrEventListenerObject>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ) => {
    listeners.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject,
  ) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  // A listener of an abort that happened was called once and is gone.
  return { left: () => signal.aborted ? 0 : listeners.size };
}
