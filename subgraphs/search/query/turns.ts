import { Fault } from '@landfall/kernel/fault';

/** So many at once, the others in their turn. @throws Fault SYS_OVERLOADED where too many wait */
export type Turns = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * @param most that run at once
 * @param patient that wait at most
 */
export const createTurns = (most: number, patient: number): Turns => {
  const waiting: (() => void)[] = [];
  let free = most;
  const turn = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (waiting.length >= patient) throw new Fault('SYS_OVERLOADED', 'Too many searches wait. Try again.', { patient });
    return new Promise((resolve) => waiting.push(resolve));
  };
  return async (act) => {
    await turn();
    try {
      return await act();
    } finally {
      // Whoever is next has this turn: nobody who comes later can take it.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
};
