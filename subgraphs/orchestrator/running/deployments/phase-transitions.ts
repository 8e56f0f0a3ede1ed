import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import type { Anatomy } from './anatomy.ts';
import * as deploymentPhases from './deployment-phases.store.ts';
import * as deployments from './deployments.store.ts';

/** Longest pause or wait at a gate, in seconds (one day). After it the deployment fails and is withdrawn. */
const PAUSE_LIMIT_SECONDS = 86_400;

const failureData = ({ category, reason, stage, plainReason, action, retryable }: Anatomy) => ({
  category,
  reason,
  stage,
  plainReason,
  action,
  retryable,
});

/** Changes the state of a locked deployment and publishes the event. */
export const move = async (
  tx: Tx,
  caller: Who,
  deployment: deployments.Deployment,
  state: Exclude<deployments.State, 'paused'>,
  settled: deployments.Settled = {},
): Promise<deployments.Deployment> => {
  const moved = await deployments.move(tx, caller.tenant, deployment, state, settled);
  const { anatomy, reason } = settled;
  await publishEvent(tx, caller, 'deployment.advance', 'Deployment', moved, {
    state: moved.state,
    ...(anatomy && failureData(anatomy)),
    ...(reason !== undefined && { said: reason }),
  });
  return moved;
};

/** Pauses a locked deployment and publishes the event. */
export const pause = async (
  tx: Tx,
  caller: Who,
  deployment: deployments.Deployment,
  reason: deployments.PauseReason,
  nextCheckSeconds?: number,
): Promise<deployments.Deployment> => {
  const paused = await deployments.pause(tx, caller.tenant, deployment, reason, PAUSE_LIMIT_SECONDS, nextCheckSeconds);
  await publishEvent(tx, caller, 'deployment.advance', 'Deployment', paused, {
    state: paused.state,
    pauseReason: reason,
  });
  return paused;
};

/** Changes the status of a phase of a locked deployment and publishes the event. */
export const movePhase = async (
  tx: Tx,
  caller: Who,
  phase: deploymentPhases.DeploymentPhase,
  status: 'running' | 'held' | 'done',
): Promise<deployments.Deployment> => {
  await deploymentPhases.move(tx, caller.tenant, phase, status);
  const touched = await deployments.touch(tx, caller.tenant, phase.deploymentId);
  await publishEvent(tx, caller, 'deployment.phase', 'Deployment', touched, { phase: phase.index, status });
  return touched;
};
