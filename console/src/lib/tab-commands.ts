import { useCommands } from './commands.ts';
import { t } from './i18n.ts';

/** Tab of a page whose parts have addresses of their own. */
type Tab = {
  readonly name: string;
  /** Line of the palette. */
  readonly title: string;
  readonly go: () => void;
};

/** Commands that go to the other tabs of a page: a line of the palette each, and `[` and `]` to the neighbours. */
export function useTabCommands(tabs: readonly Tab[], current: string): void {
  const at = tabs.findIndex(({ name }) => name === current);
  const step = (by: 1 | -1) => () => tabs[(at + by + tabs.length) % tabs.length]?.go();
  useCommands([
    ...tabs
      .filter(({ name }) => name !== current)
      .map(({ name, title, go }) => ({ id: `tab.${name}`, group: 'go' as const, title, run: go })),
    { id: 'tab.next', group: 'move', keys: ']', title: t('tabs.next'), run: step(1) },
    { id: 'tab.previous', group: 'move', keys: '[', title: t('tabs.previous'), run: step(-1) },
  ]);
}
