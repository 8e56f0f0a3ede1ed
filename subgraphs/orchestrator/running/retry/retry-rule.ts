import { Fault } from '@landfall/kernel/core/fault';
import { type Deployment, environmentBusy } from '../deployments/deployment.ts';
import { isEnded } from '../deployments/deployment-state.ts';

type Retried = Pick<Deployment, 'id' | 'environmentId' | 'kind' | 'state' | 'anatomy'>;

/** Deployment to retry, and the newest deployment of its environment, which may be the same. */
export interface RetryCase {
  readonly deployment: Retried;
  readonly newest: Retried | undefined;
}

const conflict = (message: string, details: Readonly<Record<string, unknown>>): Fault =>
  new Fault('RES_CONFLICT', message, details);

/** Refuses to retry a deployment, by its state and anatomy (rulings 54). */
export const retryRefusal = ({ deployment, newest }: RetryCase): Fault | undefined => {
  const { state, anatomy } = deployment;
  if (state !== 'failed' || !anatomy)
    return conflict(`A deployment that is ${state} is not tried again.`, { state, allowed: ['failed'] });
  const { category } = anatomy;
  if (deployment.kind === 'rollback')
    return conflict('A rollback is not tried again; ask for another.', { retryable: false, category });
  if (!anatomy.retryable)
    return conflict('The cause does not pass by itself. Mend it and request a new promotion.', {
      retryable: false,
      category,
    });
  if (!newest || newest.id === deployment.id) return undefined;
  if (!isEnded(newest)) return environmentBusy(newest);
  return conflict('Another deployment has taken the place of this one.', { state, allowed: [], newest: newest.id });
};
