import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '@landfall/kernel/clock';
import { armFromEnvironment } from '@landfall/kernel/failpoint';
import { startAgent } from './agent.ts';
import { MAX_PORT } from './bounds.ts';
import { stderrLog } from './log.ts';
import { defaultEnvPrefix } from './own-secrets.ts';

/**
 * The agent's program: `node agent/main.ts --server https://host:4002 --state DIR [--token T] [--name N]`.
 * The token may come as LANDFALL_AGENT_TOKEN, where other users of the host cannot read it from the process list.
 * SIGTERM ends the agent and leaves its processes running; with `--stop-on-exit` they end with it.
 */
const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    state: { type: 'string' },
    token: { type: 'string' },
    name: { type: 'string' },
    'secrets-dir': { type: 'string' },
    'secrets-env-prefix': { type: 'string' },
    'metrics-port': { type: 'string' },
    'slots-dir': { type: 'string' },
    'stop-on-exit': { type: 'boolean', default: false },
  },
});

const { server, state } = values;
const usage: (problem: string) => never = (problem) => {
  process.stderr.write(
    `${problem}\nusage: main.ts --server https://host:port --state DIR [--token T] [--name N]
  [--slots-dir DIR] [--metrics-port PORT] [--secrets-dir DIR] [--secrets-env-prefix ${defaultEnvPrefix}] [--stop-on-exit]\n`,
  );
  process.exit(2);
};

if (server === undefined || !URL.canParse(server)) usage('--server is no address');
if (state === undefined) usage('--state is missing');

const metricsText = values['metrics-port'] ?? process.env.LANDFALL_AGENT_METRICS_PORT;
const metricsPort = metricsText === undefined ? undefined : Number(metricsText);
if (metricsPort !== undefined && !(Number.isInteger(metricsPort) && metricsPort >= 1 && metricsPort <= MAX_PORT))
  usage(`${metricsText} is no port for metrics`);

// Whoever reads the log may go away; the agent goes on.
process.stderr.on('error', () => undefined);
armFromEnvironment(process.env);

const agent = await startAgent({
  server: new URL(server),
  state,
  token: values.token ?? process.env.LANDFALL_AGENT_TOKEN,
  name:
    values.name ??
    hostname()
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, '-'),
  version: '0.1.0',
  metricsPort,
  slots: values['slots-dir'] ?? process.env.LANDFALL_AGENT_SLOTS_DIR,
  ownSecrets: {
    directory: values['secrets-dir'] ?? process.env.LANDFALL_AGENT_SECRETS_DIR,
    prefix: values['secrets-env-prefix'] ?? defaultEnvPrefix,
    env: process.env,
  },
  clock: systemClock,
  log: stderrLog,
}).catch((error: unknown) => {
  stderrLog('agent.refused', { error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});
stderrLog('agent.started', { agentId: agent.agentId });

const stop = async (): Promise<void> => {
  await agent[Symbol.asyncDispose]();
  if (values['stop-on-exit']) await agent.stopAll();
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
