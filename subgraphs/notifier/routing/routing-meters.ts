import type { TenantId } from '@landfall/kernel/core/ids';
import type { Meter } from '@landfall/kernel/system/telemetry';

const NONE = (): void => undefined;

/** Instruments of routing (spec 6.7). Without a meter nothing is counted. */
export const createRoutingMeters = (meter: Meter | undefined) => {
  const counter = (name: string, description: string) => meter?.counter(name, { description }) ?? NONE;
  const histogram = (name: string, description: string) => meter?.histogram(name, { description, unit: 'ms' }) ?? NONE;
  const evaluations = counter('notify.rule.evaluations', 'Events that the rules of a tenant were applied to.');
  const evaluationDuration = histogram(
    'notify.rule.evaluation.duration',
    'Duration of applying the rules to an event.',
  );
  const renders = counter('notify.template.renders', 'Messages that were rendered.');
  const renderDuration = histogram('notify.template.render.duration', 'Duration of rendering a message.');
  const suppressions = counter('notifier.suppression.count', 'Messages that were suppressed.');
  const cleanups = counter('notify.retention.cleanups', 'Events that were deleted since they are old.');
  return {
    evaluated(tenant: TenantId, ms: number): void {
      evaluations({ tenant });
      evaluationDuration(ms, { tenant });
    },
    rendered(tenant: TenantId, ms: number): void {
      renders({ tenant });
      renderDuration(ms, { tenant });
    },
    suppressed: (tenant: TenantId, policy: string): void => suppressions({ tenant, policy }),
    removed: (events: number): void => cleanups({}, events),
  };
};

export type RoutingMeters = ReturnType<typeof createRoutingMeters>;
