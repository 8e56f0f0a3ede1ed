import { join } from 'node:path';
import type { DemoChapter } from '@landfall/kernel/demo/chapter';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import type { CommandHost } from '@landfall/kernel/operator/command';
import type { Log } from '@landfall/kernel/system/log';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import { createAccounts, signInAdmin, TENANT, type TenantBootstrap } from './accounts.ts';
import type { Credentials } from './credentials.ts';
import { openDemoState } from './demo-state.ts';

interface DemoOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  readonly dataDir: string;
  readonly bootstrap: TenantBootstrap;
  readonly log: Log;
  readonly host: CommandHost;
}

/** Processes of the demo beside the server: its registry and its agents. */
export interface Demo extends AsyncDisposable {
  /** Whether this start created the demo instead of continuing it. */
  readonly isFirst: boolean;
  /** Path of the file with names and passwords. */
  readonly credentialsFile: string;
}

/** Lists the demo chapters of these modules in order. */
export const chaptersOf = async (modules: readonly InstalledModule[] = MODULES): Promise<readonly DemoChapter[]> => {
  const chapters = await Promise.all(modules.map((module) => module.demo?.() ?? []));
  return chapters.flat().toSorted((one, other) => one.order - other.order);
};

/** Adds the settings that chapters of the demo need; each chapter sees those of the chapters before it. */
export const withDemoSettings = async <T extends object>(settings: T): Promise<T> => {
  const added = { ...settings };
  for (const chapter of await chaptersOf()) Object.assign(added, chapter.settings?.(added));
  return added;
};

/** Creates the demo once through a ready server's public API, or continues it, and runs its registry and agents. */
export const startDemo = async ({ dataDir, bootstrap, ...server }: DemoOptions): Promise<Demo> => {
  const { baseUrl, authUrl, agentUrl } = server;
  const directory = join(dataDir, 'demo');
  const credentialsFile = join(dataDir, 'credentials.json');
  const memory = await openDemoState(join(directory, 'memory.json'));
  const isFirst = !memory.isComplete;

  await using running = new AsyncDisposableStack();
  const stage = { ...server, directory, memory, running };
  const chapters = [];
  for (const chapter of await chaptersOf()) chapters.push(await chapter.open(stage));

  if (isFirst) {
    const accounts = await createAccounts(baseUrl, bootstrap, memory);
    const { users, clients } = accounts;
    const ids: Record<string, string> = {};
    for (const chapter of chapters) Object.assign(ids, await chapter.create(accounts));
    const credentials: Credentials = { baseUrl, authUrl, agentUrl, tenant: TENANT, users, clients, ids };
    await writePrivate(credentialsFile, `${JSON.stringify(credentials, null, 2)}\n`);
    await memory.markComplete();
  } else for (const chapter of chapters) await chapter.resume?.(() => signInAdmin(baseUrl, memory));

  const resources = running.move();
  return { isFirst, credentialsFile, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
