// Shared parts of the benches that wait for words on a page.

export const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)] ?? Number.NaN;

/** Prints figures in milliseconds as `gateway/bench` does. */
export const millisecondsReporter =
  (bench: string) =>
  (metric: string, value: number, atMost?: number): void => {
    const goal = atMost === undefined ? {} : { goal: { atMost } };
    const figure = { bench, metric, value: Number(value.toPrecision(4)), unit: 'ms', ...goal };
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  };

/**
 * Function that runs in the page: resolves with the wall clock, which this process and the browser share, in the frame
 * after the text appeared.
 */
export const shownAt = (text: string): string => `new Promise((resolve) => {
  const look = () => {
    if (!document.body.textContent.includes(${JSON.stringify(text)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  look();
})`;
