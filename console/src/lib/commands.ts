import { useLayoutEffect, useRef } from 'react';

/** Command of this page: listed in the palette, and run by its keys when it has some. */
export type Command = {
  readonly id: string;
  /** Pages come first in the palette, then actions, which have no group. `move` has keys but no line there. */
  readonly group?: 'go' | 'move';
  readonly title: string;
  /** See `createMatcher`. */
  readonly keys?: string;
  readonly run: () => void;
};

const sources = new Map<symbol, readonly Command[]>();
let silenced = 0;

/**
 * Offers commands while the component is on the page. A later component's keys win over an earlier one's. A key that is
 * pressed as soon as its page is seen finds its command: they change in one commit, before the browser paints.
 */
export function useCommands(commands: readonly Command[]): void {
  const source = useRef(Symbol('commands'));
  useLayoutEffect(() => {
    sources.set(source.current, commands);
  });
  useLayoutEffect(() => {
    const { current } = source;
    return () => {
      sources.delete(current);
    };
  }, []);
}

/** While the component is on the page, no command answers to keys: a dialog has the keyboard. */
export function useCommandsDisabled(): void {
  useLayoutEffect(() => {
    silenced++;
    return () => {
      silenced--;
    };
  }, []);
}

export const listCommands = (): readonly Command[] => [...sources.values()].flat();

/** Commands that keys reach at this moment, by their keys. */
export function commandsByKeys(): ReadonlyMap<string, Command> {
  if (silenced > 0) return new Map();
  return new Map(listCommands().flatMap((command) => (command.keys === undefined ? [] : [[command.keys, command]])));
}
