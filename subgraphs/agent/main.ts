import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '@landfall/kernel/core/clock';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { startAgent } from './agent.ts';
import { MAX_PORT } from './protocol/limits.ts';
import { stderrLog } from './protocol/log.ts';
import { resolveRunAs } from './run-as.ts';
import { defaultEnvPrefix, isPlatformVariable } from './secrets/host-secrets.ts';

/**
 * Agent program: `node agent/main.ts --server https://host:4002 --state DIR [--token T] [--name N]`. The token may be
 * passed as LANDFALL_AGENT_TOKEN instead, where other users of the host cannot read it from the process list. SIGTERM
 * ends the agent and leaves its processes running; with `--stop-on-exit` they end with it.
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
    'run-as': { type: 'string' },
    'stop-on-exit': { type: 'boolean', default: false },
  },
});

const { server, state } = values;
const usage: (problem: string) => never = (problem) => {
  process.stderr.write(
    `${problem}\nusage: main.ts --server https://host:port --state DIR [--token T] [--name N]
  [--run-as USER|self] [--slots-dir DIR] [--metrics-port PORT]
  [--secrets-dir DIR] [--secrets-env-prefix ${defaultEnvPrefix}] [--stop-on-exit]\n`,
  );
  process.exit(2);
};

if (server === undefined || !URL.canParse(server)) usage('--server is no address');
if (state === undefined) usage('--state is missing');

const prefix = values['secrets-env-prefix'] ?? defaultEnvPrefix;
if (prefix === '' || isPlatformVariable(prefix))
  usage(`--secrets-env-prefix ${prefix}: choose one that no setting of the platform begins with`);

const metricsText = values['metrics-port'] ?? process.env.LANDFALL_AGENT_METRICS_PORT;
const metricsPort = metricsText === undefined ? undefined : Number(metricsText);
if (metricsPort !== undefined && !(Number.isInteger(metricsPort) && metricsPort >= 1 && metricsPort <= MAX_PORT))
  usage(`${metricsText} is no port for metrics`);

// The agent continues even when the reader of its log has closed the pipe.
process.stderr.on('error', () => undefined);
armFromEnvironment(process.env);

const refuse = (error: unknown): never => {
  stderrLog('agent.refused', { error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
};

const account = await resolveRunAs(values['run-as'] ?? process.env.LANDFALL_AGENT_RUN_AS).catch(refuse);
if (account) {
  // Private files have modes of their own; unpacked releases are for another account to read.
  process.umask(0o022);
} else
  stderrLog('agent.unisolated', {
    warning:
      'Releases of the process driver run as this agent’s own user: they can read its key and everything it knows. Run the agent as root with an account for them (--run-as), or use the sandbox driver.',
  });

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
  account,
  slots: values['slots-dir'] ?? process.env.LANDFALL_AGENT_SLOTS_DIR,
  ownSecrets: {
    directory: values['secrets-dir'] ?? process.env.LANDFALL_AGENT_SECRETS_DIR,
    prefix,
    env: process.env,
  },
  clock: systemClock,
  log: stderrLog,
}).catch(refuse);
stderrLog('agent.started', { agentId: agent.agentId });

const stop = async (): Promise<void> => {
  await agent[Symbol.asyncDispose]();
  if (values['stop-on-exit']) await agent.stopAll();
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
