import type { Who } from '@landfall/kernel/core/caller';
import { exampleId, type Id, idOf } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { operates } from '../../shared/scopes.ts';
import * as deployments from '../deployments/deployment.ts';
import { listByDeployments as listPhases } from '../deployments/deployment-phase.ts';
import { listByDeployments as listTargets } from '../deployments/deployment-target.ts';
import type { Advance } from './advance.ts';
import { type Control, controlRefusal, expectWaitingPhase } from './control-rule.ts';
import { listUnhealthy, targetUnhealthyFault } from './unhealthy-targets.ts';

/** Refuses to start the next phase while a target is unhealthy. */
const expectWell = async (
  tx: Tx,
  caller: Who,
  deployment: deployments.Deployment,
  phaseIndex: number,
): Promise<void> => {
  const rows = await listTargets(tx, caller.tenant, [deployment.id]);
  const unwell = await listUnhealthy(tx, caller, deployment, phaseIndex, rows);
  if (unwell) throw targetUnhealthyFault(unwell);
};

interface ControlDeps extends Pick<Deps, 'operation'> {
  readonly advance: Advance;
}

const reason = freeText(2_000);
const RAISES = ['RES_NOT_FOUND', 'RES_CONFLICT'] as const;
const example = { id: exampleId('Deployment') };

export const createControls = ({ operation, advance }: ControlDeps) => {
  /** Applies a control to a locked deployment that allows it, and publishes the event with the caller. */
  const control = async (
    tx: Tx,
    caller: Who,
    id: Id<'Deployment'>,
    name: Control,
    data: Readonly<Record<string, unknown>>,
    change: (deployment: deployments.Deployment) => Promise<unknown>,
  ): Promise<deployments.Deployment> => {
    const deployment = await deployments.lockDeployment(tx, caller, id);
    if (!deployment) throw deployments.notFound(id);
    refuse(controlRefusal(name, deployment));
    await change(deployment);
    const after = await deployments.touch(tx, caller.tenant, id);
    await publishEvent(tx, caller, `deployment.${name}`, 'Deployment', after, data);
    return after;
  };

  return {
    pause: operation({
      name: 'deployment.pause',
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Deployment') }),
      raises: RAISES,
      example,
      run: (caller, { id }, tx) =>
        control(tx, caller, id, 'pause', {}, (deployment) => advance.pause(tx, caller, deployment)),
    }),

    resume: operation({
      name: 'deployment.resume',
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Deployment') }),
      raises: [...RAISES, 'DEPLOY_TARGET_UNHEALTHY'],
      example,
      run: (caller, { id }, tx) =>
        control(tx, caller, id, 'resume', {}, async (deployment) => {
          const next = (await listPhases(tx, caller.tenant, [id])).find(({ status }) => status !== 'done');
          if (next?.status === 'pending') await expectWell(tx, caller, deployment, next.index);
          await advance.resume(tx, caller, deployment);
        }),
    }),

    advancePhase: operation({
      name: 'deployment.advancePhase',
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Deployment'), phaseIndex: Type.Integer({ minimum: 0, maximum: 100_000 }) }),
      raises: [...RAISES, 'RES_VERSION_CONFLICT', 'DEPLOY_TARGET_UNHEALTHY'],
      example: { ...example, phaseIndex: 0 },
      run: (caller, { id, phaseIndex }, tx) =>
        control(tx, caller, id, 'advance', { phase: phaseIndex }, async (deployment) => {
          const heldPhase = (await listPhases(tx, caller.tenant, [id])).find(({ status }) => status === 'held');
          expectWaitingPhase(heldPhase, phaseIndex);
          await expectWell(tx, caller, deployment, phaseIndex + 1);
          if (heldPhase) await advance.pass(tx, caller, deployment, heldPhase);
        }),
    }),

    halt: operation({
      name: 'deployment.halt',
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Deployment'), reason }),
      raises: RAISES,
      example: { ...example, reason: 'Error rate doubled.' },
      run: (caller, { id, reason }, tx) =>
        control(tx, caller, id, 'halt', { reason: reason }, (deployment) =>
          advance.halt(tx, caller, deployment, reason),
        ),
    }),

    cancel: operation({
      name: 'deployment.cancel',
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Deployment'), reason }),
      raises: [...RAISES, 'DEPLOY_ROLLBACK_IN_PROGRESS'],
      example: { ...example, reason: 'Wrong release.' },
      run: (caller, { id, reason }, tx) =>
        control(tx, caller, id, 'cancel', { reason: reason }, (deployment) =>
          advance.cancel(tx, caller, deployment, reason),
        ),
    }),
  };
};
