import { Fault } from '@landfall/kernel/core/fault';
import { type Deployment, environmentBusy, type State } from '../deployments/deployment.ts';

export type Control = 'pause' | 'resume' | 'advance' | 'halt' | 'cancel';

type Controlled = Pick<Deployment, 'id' | 'environmentId' | 'kind' | 'state' | 'pauseReason'>;

const ALLOWED: Readonly<Record<Control, readonly State[]>> = {
  pause: ['in_progress'],
  resume: ['paused'],
  advance: ['paused'],
  halt: ['in_progress', 'paused'],
  cancel: ['queued', 'preflight', 'planning', 'in_progress', 'paused'],
};

const conflict = (control: Control, { state, pauseReason }: Controlled, message: string): Fault =>
  new Fault('RES_CONFLICT', message, {
    state,
    ...(pauseReason !== null && { pauseReason }),
    allowed: ALLOWED[control],
  });

const VERBS: Readonly<Record<Control, string>> = {
  pause: 'paused',
  resume: 'resumed',
  advance: 'advanced',
  halt: 'halted',
  cancel: 'cancelled',
};

/** Refusal of a control in the deployment's state (rulings 54), for the operation and the button. */
export const controlRefusal = (control: Control, deployment: Controlled): Fault | undefined => {
  if (control === 'cancel' && deployment.state === 'rollback_in_progress')
    return environmentBusy({ ...deployment, kind: 'rollback' });
  if (!ALLOWED[control].includes(deployment.state))
    return conflict(
      control,
      deployment,
      `A deployment that is ${deployment.state.replaceAll('_', ' ')} cannot be ${VERBS[control]}.`,
    );
  // A half-done rollback runs neither release completely: it ends by itself, or is halted.
  if (control === 'cancel' && deployment.kind === 'rollback') return environmentBusy(deployment);
  if (control === 'resume' && deployment.pauseReason === 'traffic_gate')
    return conflict(control, deployment, 'It waits at a traffic gate, which is passed by advancing.');
  if (control === 'advance' && deployment.pauseReason === 'manual')
    return conflict(control, deployment, 'Somebody paused it; it goes on when it is resumed.');
  return undefined;
};

/** Refuses to open a gate unless the caller names the phase that waits at it. */
export const expectWaitingPhase = (heldPhase: { readonly index: number } | undefined, acknowledged: number): void => {
  if (heldPhase?.index !== acknowledged)
    throw new Fault('RES_VERSION_CONFLICT', 'Another phase waits at its gate than the one you saw. Look again.', {
      expected: acknowledged,
      actual: heldPhase?.index ?? null,
    });
};
