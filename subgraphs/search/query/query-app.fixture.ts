import type { Deps } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { testApp } from '@landfall/kernel/testing/app';
import { createFeed } from '../corpus/feed.ts';
import { createLane } from '../fts/threaded-lane.ts';
import { type QueryModuleOptions, queryModule } from './query.fixture.ts';
import { scenario } from './story.fixture.ts';

/** Search path: the index, or the database without it. */
export const PATHS = ['index', 'database'] as const;

type Path = (typeof PATHS)[number];

export interface QueryAppOptions extends Omit<QueryModuleOptions, 'lane' | 'isReady'> {
  readonly path: Path;
  /** Whether the index reports that it is ready but fails every query. */
  readonly failing?: boolean;
  readonly routes?: (module: ReturnType<typeof queryModule>) => readonly Route[];
}

/** Starts search queries over REST and GraphQL on the demo's data, answered by the index or by the database. */
export const startQueryApp = async ({ path, failing = false, routes = () => [], ...options }: QueryAppOptions) => {
  await using stack = new AsyncDisposableStack();
  const make = async (deps: Deps) => {
    if (path === 'database') return queryModule(deps, { ...options, isReady: () => failing });
    const lane = stack.use(await createLane({ directory: undefined, log: deps.log }));
    const feed = createFeed({ ...deps, lane, pollMs: 50 });
    stack.use(feed.start());
    const module = queryModule(deps, { ...options, lane });
    return { ...module, settled: () => feed.settled() };
  };
  const app = await testApp({ createModule: make, routes });
  for (const [owner, chunks] of scenario) await app.module.put(owner, chunks);
  if ('settled' in app.module) await app.module.settled();
  const resources = stack.move();
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync();
      await app[Symbol.asyncDispose]();
    },
  };
};
