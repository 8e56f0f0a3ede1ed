import type { Assignment } from '@landfall/agent/protocol/messages';
import { type DeployingApp, failedAt, isAssignment, landedAt, type TestAgent } from './deploying-app.ts';

type Ends = (assignment: Assignment) => object;

/** Leases every task that waits for an agent. */
export const leaseAllTasks = async (app: DeployingApp, agent: TestAgent): Promise<Assignment[]> => {
  const leased: Assignment[] = [];
  for (let next = await app.lease(agent); isAssignment(next); next = await app.lease(agent)) leased.push(next);
  return leased;
};

/** Completes every task that waits for an agent, and the tasks that follow, until none is left. */
export const completeAllTasks = async (
  app: DeployingApp,
  agent: TestAgent,
  ends: Ends = (assignment) => landedAt(assignment),
): Promise<Assignment[]> => {
  const finished: Assignment[] = [];
  for (let leased = await leaseAllTasks(app, agent); leased.length > 0; leased = await leaseAllTasks(app, agent))
    for (const assignment of leased) {
      finished.push(assignment);
      await app.report(agent, assignment, 1, ends(assignment));
    }
  return finished;
};

export const failing = (): object => failedAt('probe-failed', 'HTTP 500');
