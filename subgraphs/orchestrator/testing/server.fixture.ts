/**
 * Orchestrator process over a test's database: operations, workers and the agents' listener. It takes commands from the
 * test over the IPC channel and ends when that closes. Everything is loaded before `serve`, so that another takes
 * over at once.
 */
import { systemClock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { arm } from '@landfall/kernel/system/failpoint';
import { createLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { Parse } from 'typebox/value';
import { createOrchestrator } from '../index.ts';
import { listenForAgents } from './agent-listener.ts';
import { type Answer, messages, type Serve } from './server-messages.ts';

const serve = async ({ connection, rootKey, port }: Serve) => {
  const log = createLog({ level: 'error' });
  const hints = createHints(connection);
  const database = createDatabase({ connection, max: 16, onEvents: hints.publish });
  const secrets = createSecrets([Buffer.from(rootKey, 'base64')]);
  const deps: Deps = {
    database,
    hints,
    secrets,
    log,
    http: createHttpClient({ egress: openEgress }),
    egress: openEgress,
    clock: systemClock,
    ids: randomIds,
    operation: createOperations(database, secrets),
  };
  const module = createOrchestrator(deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(deps),
  });
  await listenForAgents(module.agentListener, deps, (error) => log.error({ err: error }, 'masked'), port);
  for (const worker of module.workers) worker.start();
  return module;
};

let serving: ReturnType<typeof serve> | undefined;
const pending = new Map<string, () => void>();

/** Failpoint passing at which the process kills itself, as a power failure would. */
const killAt = (name: string, nth: number): void => {
  let remaining = nth;
  arm(name, () => {
    remaining -= 1;
    if (remaining === 0) process.kill(process.pid, 'SIGKILL');
  });
};

const pauseAt = (name: string): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  pending.set(name, resolve);
  arm(name, () => promise);
};

const runCommand = async (raw: unknown): Promise<unknown> => {
  const { command } = Parse(messages.request, raw);
  switch (command.do) {
    case 'serve':
      serving = serve(command);
      await serving;
      return null;
    case 'die':
      return killAt(command.at, command.nth);
    case 'hold':
      return pauseAt(command.at);
    case 'release':
      return pending.get(command.at)?.();
    case 'call': {
      const module = await serving;
      const operation = module?.operations.find(({ spec }) => spec.name === command.operation);
      if (!operation) throw new TypeError(`no operation ${command.operation}`);
      return operation(people[command.as], command.input);
    }
  }
};

const answer = (message: Answer): void => void process.send?.(message);

process.on('message', (raw) => {
  const { id } = Parse(messages.request, raw);
  runCommand(raw).then(
    (value) => answer({ id, value: value ?? null }),
    (error: unknown) => answer({ id, code: error instanceof Fault ? error.code : 'none', message: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
