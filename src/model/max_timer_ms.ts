/** The longest time of a timer. One that is set to more milliseconds fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
