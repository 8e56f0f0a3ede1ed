import type { Deps } from '@landfall/kernel/module';
import * as store from './allowed-origins.store.ts';

/** Whether scripts of a web page's origin may read the platform's answers (Fetch 3.2, rulings 71). */
export type AllowsOrigin = (origin: string) => Promise<boolean>;

/** Cache lifetime in milliseconds; a changed registration takes effect after it. */
const LIFE_MS = 1_000;

/** Creates the check of an origin against the origins of all clients, which it reads at most once a second. */
export const createAllowedOrigins = ({ database }: Pick<Deps, 'database'>): AllowsOrigin => {
  let until = 0;
  let known: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  const read = async (): Promise<ReadonlySet<string>> =>
    new Set((await database.system.read((query) => store.list(query))).map(({ origin }) => origin));
  return async (origin) => {
    if (performance.now() >= until) {
      until = performance.now() + LIFE_MS;
      known = read();
      known.catch(() => {
        until = 0;
      });
    }
    return (await known).has(origin);
  };
};
