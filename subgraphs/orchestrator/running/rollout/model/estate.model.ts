import { isLive, type Model, type Target } from './entities.model.ts';

export type EstateState = 'in_sync' | 'drift' | 'unobserved';

/** Records that an agent sees a component with a digest on a target. */
export const observe = (target: Target, component: string, digest: string): void => {
  target.seen.set(component, digest);
};

/** Lists the components of enabled targets: expected and silent, reported and expected or not. */
export const estateOf = ({ targets }: Model) =>
  targets
    .filter((target) => target.isEnabled && isLive(target))
    .flatMap((target) =>
      [...new Set([...target.approved.keys(), ...target.seen.keys()])].map((component) => {
        const digest = target.seen.get(component) ?? null;
        const state: EstateState =
          digest === null ? 'unobserved' : digest === target.approved.get(component) ? 'in_sync' : 'drift';
        return { target, component, state };
      }),
    );
