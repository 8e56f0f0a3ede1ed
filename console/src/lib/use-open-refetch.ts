import { useEffect } from 'react';

/** Pause between looks at something that is under way, in milliseconds. */
const PAUSE_MS = 2_000;

/** Fetches again while something is under way that no process reports to the change feed, such as a worker's attempts. */
export function useOpenRefetch(isOpen: boolean, refetch: () => void, pauseMs = PAUSE_MS): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const id = setInterval(() => document.hidden || refetch(), pauseMs);
    return () => clearInterval(id);
  }, [isOpen, refetch, pauseMs]);
}
