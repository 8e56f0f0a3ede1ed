import type { Context } from '../../context.ts';
import type { EvidenceType } from '../../shared/enums.ts';
import { type Permission, permission } from '../../shared/permission.ts';
import { missingEvidence } from './missing-evidence.ts';
import { finalizeRefusal, readyRefusal } from './release-rules.ts';
import type { Release } from './releases.store.ts';

export const lacks = async (release: Release, { loaders }: Context): Promise<EvidenceType[]> =>
  missingEvidence(release, await loaders.path.load());

export const canFinalize = (release: Release, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.releases.finalize.spec, () => finalizeRefusal(release));

export const canMarkReady = (release: Release, context: Context): Promise<Permission> =>
  permission(context.caller, context.orchestrator.releases.markReady.spec, async () =>
    readyRefusal(release, await lacks(release, context)),
  );
