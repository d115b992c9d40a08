/**
 * True when steps match items one for one, and a star any run of items. Only the
 * last star is tried again, so that no pattern takes for ever.
 */
export function matchesSteps<Step, Item>(
  steps: ArrayLike<Step>,
  items: ArrayLike<Item>,
  { star, fits }: { star: Step; fits(step: Step, item: Item): boolean },
): boolean {
  let step = 0;
  let item = 0;
  let lastStar = -1;
  let retry = 0;
  while (item < items.length) {
    if (steps[step] === star) {
      lastStar = step++;
      retry = item;
    } else if (step < steps.length && fits(steps[step]!, items[item]!)) {
      step++;
      item++;
    } else if (lastStar !== -1) {
      step = lastStar + 1;
      item = ++retry;
    } else {
      return false;
    }
  }
  while (steps[step] === star) step++;
  return step === steps.length;
}
