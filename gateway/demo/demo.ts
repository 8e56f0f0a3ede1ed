import { join } from 'node:path';
import type { Authority } from '@landfall/authority';
import type { Log } from '@landfall/kernel/system/log';
import { accessChapter } from './access.ts';
import { createAgents } from './agents.ts';
import { authorityChapter, clientOf, signInAdmin, TENANT } from './authority.ts';
import { openBuilder, submitAs } from './builder.ts';
import type { Credentials } from './credentials.ts';
import { openRegistry } from './images.ts';
import { openMemory, writePrivate } from './memory.ts';
import { orchestratorChapter, startAgents } from './orchestrator.ts';
import { askForRegistryTokens } from './registry-requests.ts';
import { searchChapter } from './search.ts';

interface DemoOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  readonly dataDir: string;
  readonly bootstrap: Pick<Authority['bootstrap'], 'ensureTenant' | 'ensureUser'>;
  readonly log: Log;
}

/** Processes of the demo beside the server: its registry and its agents. */
export interface Demo extends AsyncDisposable {
  /** Whether this start told the story, rather than go on after it. */
  readonly isFirst: boolean;
  /** Path of the file with names and passwords. */
  readonly credentialsFile: string;
}

/**
 * Tells the demo story once, through the public doors of a server that is ready, and keeps its registry and agents
 * running. An interrupted story goes on at the next start, as long as idempotency keys are kept.
 */
export const startDemo = async (stage: DemoOptions): Promise<Demo> => {
  const { baseUrl, authUrl, agentUrl, dataDir, bootstrap, log } = stage;
  const directory = join(dataDir, 'demo');
  const credentialsFile = join(dataDir, 'credentials.json');
  const memory = await openMemory(join(directory, 'memory.json'));
  const isFirst = !memory.isComplete;

  await using running = new AsyncDisposableStack();
  const registry = running.use(await openRegistry(memory));
  const builder = await openBuilder({ memory, registry, directory: join(directory, 'statements') });
  const homes = join(directory, 'agents');
  const agents = running.use(createAgents({ agentUrl, directory: homes, log }));

  if (isFirst) {
    const cast = await authorityChapter(baseUrl, bootstrap, memory);
    const { users, clients } = cast;
    await accessChapter({ baseUrl, authUrl }, { admin: cast.admin, directory: clientOf(cast, 'directory') });
    await askForRegistryTokens({ baseUrl, authUrl }, clientOf(cast, 'registry-client'), directory);
    const ids = await orchestratorChapter({
      cast,
      agents,
      memory,
      registry,
      builder,
      trustedRoot: async () => (await fetch(new URL('/tlog/trusted_root.json', baseUrl))).text(),
      submit: submitAs({ baseUrl, authUrl }, clientOf(cast, 'operator')),
      stateOf: (agent) => join(homes, agent),
    });
    await searchChapter(cast.admin, cast.manager);
    const credentials: Credentials = { baseUrl, authUrl, agentUrl, tenant: TENANT, users, clients, ids };
    await writePrivate(credentialsFile, `${JSON.stringify(credentials, null, 2)}\n`);
    await memory.markComplete();
  } else await startAgents(() => signInAdmin(baseUrl, memory), agents);

  const kept = running.move();
  return { isFirst, credentialsFile, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};
