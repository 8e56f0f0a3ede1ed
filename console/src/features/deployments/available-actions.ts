import type { DeploymentPermissionsFragment } from '../../generated/operations.ts';
import type { Permission } from '../../ui/Forbidden.tsx';

export type ActionName = 'advance' | 'resume' | 'pause' | 'retry' | 'rollback' | 'halt' | 'cancel';

/** Actions that fit the status of a deployment, the most likely first. */
function verbsOf({ status, pauseReason }: DeploymentPermissionsFragment): readonly ActionName[] {
  switch (status) {
    case 'QUEUED':
    case 'PREFLIGHT':
    case 'PLANNING':
    case 'IN_PROGRESS':
    case 'VERIFYING':
      return ['pause', 'halt', 'cancel'];
    case 'PAUSED':
      return [pauseReason === 'TRAFFIC_GATE' ? 'advance' : 'resume', 'halt', 'cancel'];
    case 'FAILED':
    case 'ROLLBACK_FAILED':
      return ['retry', 'rollback'];
    case 'COMPLETED':
    case 'CANCELLED':
      return ['rollback'];
    case 'CANCELLING':
    case 'ROLLBACK_IN_PROGRESS':
    case 'ROLLED_BACK':
      return [];
  }
}

const permissionOf = (deployment: DeploymentPermissionsFragment, verb: ActionName): Permission =>
  ({
    advance: deployment.viewerCanAdvance,
    resume: deployment.viewerCanResume,
    pause: deployment.viewerCanPause,
    retry: deployment.viewerCanRetry,
    rollback: deployment.viewerCanRollback,
    halt: deployment.viewerCanHalt,
    cancel: deployment.viewerCanCancel,
  })[verb];

type ActionRule = { readonly verbs: readonly ActionName[]; readonly permission: Permission };

export type AvailableActions = { readonly allowed: ReadonlySet<ActionName>; readonly rules: readonly ActionRule[] };

/** Actions that the user may do, and the rules that forbid others; one that does not fit the state is left out. */
export function availableActions(deployment: DeploymentPermissionsFragment): AvailableActions {
  const applicable = verbsOf(deployment).map((verb) => ({ verb, permission: permissionOf(deployment, verb) }));
  const rules = new Map<string, ActionRule>();
  for (const { verb, permission } of applicable) {
    if (permission.allowed || permission.code === 'RES_CONFLICT') continue;
    const key = `${permission.code} ${permission.reason}`;
    rules.set(key, { verbs: [...(rules.get(key)?.verbs ?? []), verb], permission });
  }
  return {
    allowed: new Set(applicable.filter(({ permission }) => permission.allowed).map(({ verb }) => verb)),
    rules: [...rules.values()],
  };
}
