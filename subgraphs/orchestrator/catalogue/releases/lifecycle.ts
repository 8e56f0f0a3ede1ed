import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText, oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { evidenceTypes } from '../../shared/enums.ts';
import { anyDigest, expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { operates } from '../../shared/scopes.ts';
import * as products from '../products/product.ts';
import * as evidence from './evidence.store.ts';
import { makeReady } from './finalization.ts';
import { missingEvidence } from './missing-evidence.ts';
import type { ReleaseListener } from './ports.ts';
import { lockRelease, recordChange } from './release.ts';
import { clearHoldRefusal, deprecateRefusal, evidenceRefusal, holdRefusal, readyRefusal } from './release-rules.ts';
import * as store from './releases.store.ts';

const one = { id: idOf('Release'), expectedVersion };

export const createLifecycle = ({ operation }: Deps, listener: ReleaseListener) => ({
  markReady: operation({
    name: 'release.markReady',
    kind: 'write',
    scope: operates,
    input: Type.Object(one),
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_INVALID_STATUS_TRANSITION', 'REL_NOT_READY'],
    example: { id: exampleId('Release'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      const release = await lockRelease(tx, caller, id, expected);
      const steps = await products.listPathEntriesOf(tx, caller.tenant, release.productId);
      refuse(readyRefusal(release, missingEvidence(release, steps)));
      return makeReady(tx, caller, listener, id);
    },
  }),

  hold: operation({
    name: 'release.hold',
    kind: 'write',
    scope: operates,
    input: Type.Object({ ...one, reason: freeText(2000, 10) }),
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_INVALID_STATUS_TRANSITION'],
    example: { id: exampleId('Release'), expectedVersion: 1, reason: 'Wait for the security review.' },
    async run(caller, { id, expectedVersion: expected, reason }, tx) {
      refuse(holdRefusal(await lockRelease(tx, caller, id, expected)));
      await store.setHold(tx, caller.tenant, id, reason, caller.subject);
      return recordChange(tx, caller, 'release.hold', id, { reason });
    },
  }),

  clearHold: operation({
    name: 'release.clearHold',
    kind: 'write',
    scope: operates,
    input: Type.Object(one),
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_INVALID_STATUS_TRANSITION', 'RES_CONFLICT'],
    example: { id: exampleId('Release'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      refuse(clearHoldRefusal(await lockRelease(tx, caller, id, expected)));
      await store.setHold(tx, caller.tenant, id, null, caller.subject);
      return recordChange(tx, caller, 'release.clearHold', id, {});
    },
  }),

  deprecate: operation({
    name: 'release.deprecate',
    kind: 'write',
    scope: operates,
    input: Type.Object({ ...one, reason: freeText(2000) }),
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_INVALID_STATUS_TRANSITION'],
    example: { id: exampleId('Release'), expectedVersion: 1, reason: 'Replaced by 1.1.' },
    async run(caller, { id, expectedVersion: expected, reason }, tx) {
      refuse(deprecateRefusal(await lockRelease(tx, caller, id, expected)));
      await store.setDeprecated(tx, caller.tenant, id, reason, caller.subject);
      return recordChange(tx, caller, 'release.deprecate', id, { reason });
    },
  }),

  /** Records evidence. The last missing kind makes a finalized release ready, unless the release is on hold. */
  recordEvidence: operation({
    name: 'release.recordEvidence',
    kind: 'write',
    scope: operates,
    input: Type.Object({ releaseId: idOf('Release'), type: oneOf(...evidenceTypes), digest }),
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_CONFLICT', 'RES_ALREADY_EXISTS'],
    example: { releaseId: exampleId('Release'), type: 'sbom', digest: anyDigest },
    async run(caller, { releaseId: id, ...piece }, tx) {
      const before = await store.getLocked(tx, caller.tenant, id);
      refuse(evidenceRefusal(before));
      await evidence.insert(tx, caller.tenant, id, piece, caller.subject);
      await store.touch(tx, caller.tenant, id, caller.subject);
      const release = await recordChange(tx, caller, 'release.evidence', id, piece);
      if (release.status === 'ready') await listener.onReady(tx, caller, release);
      const steps = await products.listPathEntriesOf(tx, caller.tenant, release.productId);
      if (readyRefusal(release, missingEvidence(release, steps))) return release;
      return makeReady(tx, caller, listener, id, { because: piece.type });
    },
  }),
});
