/** Starts the agent program with a short registry deadline, for tests of a registry that hangs. */
import { parseArgs } from 'node:util';
import { startAgent } from '@landfall/agent/agent';
import { pullLimits } from '@landfall/agent/oci/distribution';
import { stderrLog } from '@landfall/agent/protocol/log';
import { systemClock } from '@landfall/kernel/core/clock';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';

const { values } = parseArgs({
  options: { server: { type: 'string' }, state: { type: 'string' }, name: { type: 'string' } },
});
const { server = '', state = '', name = '' } = values;

armFromEnvironment(process.env);
const agent = await startAgent({
  server: new URL(server),
  state,
  name,
  token: process.env.LANDFALL_AGENT_TOKEN,
  version: '0.1.0',
  clock: systemClock,
  log: stderrLog,
  limits: { ...pullLimits, answerMs: 1_000, graceMs: 1_500, tries: 2, backoffMs: 10 },
});
stderrLog('agent.started', { agentId: agent.agentId });
