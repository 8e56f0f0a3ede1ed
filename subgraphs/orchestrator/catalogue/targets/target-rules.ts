import { Fault } from '@landfall/kernel/core/fault';
import type { Target } from './targets.store.ts';

/** Running deployment that includes a target. */
interface Use {
  readonly deploymentId: string;
}

const used = (code: 'RES_CONFLICT' | 'DEPLOY_IN_PROGRESS', { deploymentId }: Use): Fault =>
  new Fault(code, 'A deployment under way uses this target. Wait until it ends, or cancel it.', { deploymentId });

/** Refuses a change while a running deployment uses the target: a deployment keeps the settings it began with. */
export const busyRefusal = (use: Use | undefined): Fault | undefined => use && used('RES_CONFLICT', use);

/** Refuses to give a target to another product while something runs there. */
export const moveRefusal = ({ id, productId }: Pick<Target, 'id' | 'productId'>, isCarrying: boolean) =>
  isCarrying
    ? new Fault('RES_CONFLICT', 'This target carries what landed on it. Enrol another target for the product.', {
        targetId: id,
        productId,
      })
    : undefined;

export const disableRefusal = ({ state }: Pick<Target, 'state'>, use: Use | undefined): Fault | undefined =>
  state === 'disabled'
    ? new Fault('RES_CONFLICT', 'The target is disabled already.', { state, allowed: [] })
    : busyRefusal(use);

export const enableRefusal = ({ state }: Pick<Target, 'state'>): Fault | undefined =>
  state === 'disabled'
    ? undefined
    : new Fault('RES_CONFLICT', 'The target is in use already.', { state, allowed: ['disabled'] });

export const removeRefusal = (use: Use | undefined): Fault | undefined => use && used('DEPLOY_IN_PROGRESS', use);
