import { replacedTree } from '../driver/process-reference.ts';
import type { Identity, Resolved } from '../oci/releases.ts';
import { failure } from '../protocol/failure.ts';
import type { Component, Landing, StepName, Task } from '../protocol/messages.ts';
import type { ActiveRelease, RunningComponent } from '../state/target-record.ts';
import type { Targets } from '../targets/targets.ts';

/** Builds the landing of one component: its digests, and whether they match. */
const landingOf = (
  component: Component,
  { manifestDigest, platformDigest }: Pick<RunningComponent, 'manifestDigest' | 'platformDigest'>,
  { digest, reason }: Identity,
): Landing => ({
  name: component.name,
  gatedDigest: component.digest,
  manifestDigest,
  platformDigest,
  observedDigest: digest,
  reason,
});

export const observe = async (targets: Targets, active: ActiveRelease): Promise<Landing[]> => {
  const landings: Landing[] = [];
  for (const running of active.components) {
    const component = active.task.components.find(({ name }) => name === running.name);
    if (component) landings.push(landingOf(component, running, await targets.identify(active, running)));
  }
  return landings;
};

/**
 * Refuses a release whose observed digest differs from its platform digest. Raises DEPLOY_DIGEST_VERIFICATION_FAILED.
 */
export const assertGated = (landings: readonly Landing[]): void => {
  for (const { name, platformDigest, observedDigest, reason } of landings)
    if (observedDigest !== null && observedDigest !== platformDigest)
      throw failure(
        'DEPLOY_DIGEST_VERIFICATION_FAILED',
        'digest-mismatch',
        `${name} runs ${observedDigest}, not ${platformDigest}${reason === null ? '' : ` (${reason})`}`,
      );
};

/** Returns the landings of a running release if it is what a task requests; otherwise undefined. */
export const matching = async (
  targets: Targets,
  active: ActiveRelease,
  settings: string,
  requested: readonly Pick<Resolved, 'component' | 'platformDigest'>[],
): Promise<Landing[] | undefined> => {
  if (active.settings !== settings) return undefined;
  for (const running of active.components) if (!(await targets.isAlive(active, running))) return undefined;
  const landings = await observe(targets, active);
  const isSame = requested.every(({ component, platformDigest }) =>
    landings.some(({ name, observedDigest, reason, platformDigest: recorded }) => {
      // Where nothing can be observed of a live process, the record decides.
      const isTrusted = targets.driverOf(active.task).isRouted && reason !== replacedTree;
      const runs = observedDigest ?? (isTrusted ? recorded : undefined);
      return name === component.name && runs === platformDigest;
    }),
  );
  return isSame ? landings : undefined;
};

/** Lists the steps of a task in order, to name the one in which it failed. */
export const stepsOf = ({ action, traffic }: Pick<Task, 'action' | 'traffic'>): readonly [StepName, ...StepName[]] =>
  action === 'withdraw'
    ? ['shifted', 'stopped', 'done']
    : [
        'resolved',
        'pulled',
        'verified',
        'started',
        'probed',
        'observed',
        traffic.retire ? 'stopped' : 'shifted',
        'done',
      ];
