/** Key press, as far as bindings care. */
export type Press = {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** Press happens where text is written. */
  readonly typing: boolean;
};

/** Time in which the second key of a sequence must follow, in milliseconds. */
export const SEQUENCE_MS = 1000;

/** Maps key presses to bindings (`j`, `g t`, `mod+k`); the user can turn single keys off (WCAG 2.1.4). */
export function createMatcher(now: () => number, singleKeys: () => boolean) {
  let firstKey: { readonly key: string; readonly at: number } | undefined;

  const plain = (key: string, known: ReadonlySet<string>): string | undefined => {
    const before = firstKey !== undefined && now() - firstKey.at <= SEQUENCE_MS ? firstKey.key : undefined;
    firstKey = undefined;
    if (before !== undefined && known.has(`${before} ${key}`)) return `${before} ${key}`;
    if ([...known].some((binding) => binding.startsWith(`${key} `))) firstKey = { key, at: now() };
    return firstKey === undefined && known.has(key) ? key : undefined;
  };

  return (press: Press, bindings: Iterable<string>): string | undefined => {
    const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
    const known = new Set(bindings);
    if (press.altKey) return undefined;
    if (press.ctrlKey || press.metaKey) return known.has(`mod+${key}`) ? `mod+${key}` : undefined;
    if (key === 'Escape') return known.has(key) ? key : undefined;
    return press.typing || !singleKeys() ? undefined : plain(key, known);
  };
}

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑' };

/** Binding as caps to print: `mod+k` is ⌘K or Ctrl K, `g t` is two caps. */
export function caps(binding: string, apple: boolean): string[] {
  if (binding.startsWith('mod+')) {
    const key = binding.slice('mod+'.length).toUpperCase();
    return apple ? [`⌘${key}`] : [`Ctrl ${key}`];
  }
  return binding.split(' ').map((key) => NAMES[key] ?? key);
}
