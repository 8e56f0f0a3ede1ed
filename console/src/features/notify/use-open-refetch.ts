import { useEffect } from 'react';

/** Pause between looks at something that is under way, in milliseconds. */
const PAUSE_MS = 2_000;

/** Fetches again while something is under way: the notifier's workers do not report each attempt to the change feed. */
export function useOpenRefetch(isOpen: boolean, refetch: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const id = setInterval(() => document.hidden || refetch(), PAUSE_MS);
    return () => clearInterval(id);
  }, [isOpen, refetch]);
}
