import type { StepReport } from '@landfall/agent/protocol/messages';
import type { Stage } from '../deployments/anatomy.ts';

/** Stage of each reported step. */
export const STAGE_OF: Readonly<Record<StepReport['step'], Stage>> = {
  resolved: 'execution',
  pulled: 'execution',
  verified: 'execution',
  started: 'execution',
  probed: 'health-probe',
  observed: 'health-probe',
  shifted: 'traffic-gate',
  stopped: 'health-probe',
  done: 'health-probe',
  failed: 'execution',
};

/** Describes a step in one line for the timeline. */
export const describeStep = (report: StepReport): string | null => {
  switch (report.step) {
    case 'pulled':
      return `${report.bytes} bytes`;
    case 'started':
      return report.components.map(({ name, port }) => `${name} on port ${port}`).join(', ');
    case 'probed':
      return report.components.map(({ name, status, elapsedMs }) => `${name} ${status} in ${elapsedMs} ms`).join(', ');
    case 'observed':
      return report.components
        .map(({ name, observedDigest, reason }) => `${name} ${observedDigest ?? reason}`)
        .join(', ');
    case 'shifted':
      return `${report.weight} % of the traffic`;
    case 'failed':
      return report.raw;
    default:
      return null;
  }
};
