import type { Assignment } from '@landfall/agent/protocol/messages';
import { type DeployingApp, failedAt, isAssignment, landedAt, type TestAgent } from './deploying-app.ts';

type Ends = (assignment: Assignment) => object;

/** Leases every task that waits for an agent. */
export const leaseAllTasks = async (app: DeployingApp, agent: TestAgent): Promise<Assignment[]> => {
  const taken: Assignment[] = [];
  for (let next = await app.lease(agent); isAssignment(next); next = await app.lease(agent)) taken.push(next);
  return taken;
};

/** Completes every task that waits for an agent, and the tasks that follow, until none is left. */
export const completeAllTasks = async (
  app: DeployingApp,
  agent: TestAgent,
  ends: Ends = (assignment) => landedAt(assignment),
): Promise<Assignment[]> => {
  const done: Assignment[] = [];
  for (let taken = await leaseAllTasks(app, agent); taken.length > 0; taken = await leaseAllTasks(app, agent))
    for (const assignment of taken) {
      done.push(assignment);
      await app.report(agent, assignment, 1, ends(assignment));
    }
  return done;
};

export const failing = (): object => failedAt('probe-failed', 'HTTP 500');
