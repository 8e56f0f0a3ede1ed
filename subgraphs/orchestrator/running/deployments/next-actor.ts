import { isEnded } from './deployment-state.ts';
import type { Deployment } from './deployments.store.ts';

/** Returns whom a deployment waits for; null once it has ended. */
export const nextActorOf = (deployment: Pick<Deployment, 'state' | 'pauseReason' | 'nextCheckAt'>) => {
  if (isEnded(deployment)) return null;
  if (deployment.state !== 'paused') return 'agents';
  return deployment.pauseReason === 'traffic_gate' && deployment.nextCheckAt !== null ? 'analysis' : 'person';
};
