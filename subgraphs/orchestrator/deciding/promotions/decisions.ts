import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText } from '@landfall/kernel/operation/input';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import { findPathEntry } from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { anyDigest } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { approves, operates } from '../../shared/scopes.ts';
import { approvalRefusal, approvalsOf } from './approval-rule.ts';
import * as approvals from './approvals.store.ts';
import { getApprovingActor } from './approving-actor.ts';
import { acknowledgedOutcomeDetails, outcomesRefusal } from './outcome-rule.ts';
import type { ApprovalStatements, DeploymentHistory } from './ports.ts';
import { lockPromotion, move } from './promotion.ts';
import { cancelRefusal, rejectRefusal } from './promotion-rules.ts';
import type { Promotion } from './promotions.store.ts';

const id = idOf('Promotion');

/** Reads the release and the environment of a promotion; foreign keys guarantee that they exist. */
const subjectOf = async (query: Query, caller: Who, promotion: Promotion) => {
  const release = await releases.find(query, caller.tenant, promotion.releaseId);
  const entry =
    release && (await findPathEntry(query, caller.tenant, release.productId, promotion.targetEnvironmentId));
  if (!entry) throw new TypeError(`promotion ${promotion.id} refers to what is not there`);
  return { release, environment: entry.environment };
};

export const createDecisions = ({ operation }: Deps, statements: ApprovalStatements, history: DeploymentHistory) => ({
  approve: operation({
    name: 'promotion.approve',
    kind: 'write',
    scope: approves,
    input: Type.Object({
      id,
      comment: Type.Optional(freeText(2000)),
      seenGatedDigestSet: digest,
      acknowledgeOutcomes: Type.Optional(Type.Array(idOf('Deployment'), { maxItems: 200 })),
    }),
    raises: [
      'RES_PROMOTION_NOT_FOUND',
      'PERM_SELF_APPROVAL',
      'PERM_ACTION_DENIED',
      'PERM_SOD_VIOLATION',
      'RES_VERSION_CONFLICT',
      'PROM_ALREADY_APPROVED',
      'PROM_ALREADY_REJECTED',
      'PROM_ALREADY_CANCELLED',
      'PROM_NOT_PENDING',
      'RES_ALREADY_EXISTS',
      'RES_CONFLICT',
    ],
    example: { id: exampleId('Promotion'), seenGatedDigestSet: anyDigest },
    async run(caller, input, tx) {
      const promotion = await lockPromotion(tx, caller, input.id);
      const { release, environment } = await subjectOf(tx, caller, promotion);
      const gatedDigestSet = input.seenGatedDigestSet;
      const approver = await getApprovingActor(tx, caller, [promotion.id]);
      refuse(approvalRefusal({ promotion, release, environment, approver, seen: gatedDigestSet }));
      const known = await history.listEnded(tx, caller.tenant, [release.id]);
      const acknowledged = input.acknowledgeOutcomes ?? [];
      refuse(outcomesRefusal(known, acknowledged));
      await failpoint('promotion.approve.decided');
      const have = approvalsOf(promotion).length + 1;
      const need = promotion.approvalsNeeded;
      const comment = input.comment ?? null;
      await approvals.record(tx, caller.tenant, {
        promotionId: promotion.id,
        actor: caller.subject,
        givenThrough: holdersOf(caller),
        decision: 'approved',
        comment,
        gatedDigestSet: promotion.gatedDigestSet,
      });
      const state = have >= need ? 'approved' : 'pending';
      const moved = await move(tx, caller, { id: promotion.id, state }, 'promotion.approve', {
        comment,
        have,
        need,
        ...acknowledgedOutcomeDetails(known, acknowledged),
      });
      if (state === 'approved') await statements.approved(tx, caller, { promotion: moved, release, environment });
      return moved;
    },
  }),

  reject: operation({
    name: 'promotion.reject',
    kind: 'write',
    scope: approves,
    input: Type.Object({ id, comment: freeText(2000) }),
    raises: ['RES_PROMOTION_NOT_FOUND', 'PROM_NOT_PENDING', 'PROM_ALREADY_REJECTED', 'PROM_ALREADY_CANCELLED'],
    example: { id: exampleId('Promotion'), comment: 'Not this week.' },
    async run(caller, input, tx) {
      const promotion = await lockPromotion(tx, caller, input.id);
      refuse(rejectRefusal(promotion));
      await approvals.record(tx, caller.tenant, {
        promotionId: promotion.id,
        actor: caller.subject,
        givenThrough: holdersOf(caller),
        decision: 'rejected',
        comment: input.comment,
        gatedDigestSet: promotion.gatedDigestSet,
      });
      return move(tx, caller, { id: promotion.id, state: 'rejected' }, 'promotion.reject', { comment: input.comment });
    },
  }),

  cancel: operation({
    name: 'promotion.cancel',
    kind: 'write',
    scope: operates,
    input: Type.Object({ id, reason: freeText(2000) }),
    raises: [
      'RES_PROMOTION_NOT_FOUND',
      'PROM_ALREADY_REJECTED',
      'PROM_ALREADY_CANCELLED',
      'PROM_DEPLOYING',
      'PROM_INVALID_STATE',
    ],
    example: { id: exampleId('Promotion'), reason: 'Replaced by a newer release.' },
    async run(caller, input, tx) {
      const promotion = await lockPromotion(tx, caller, input.id);
      refuse(cancelRefusal(promotion));
      return move(tx, caller, { id: promotion.id, state: 'cancelled' }, 'promotion.cancel', { reason: input.reason });
    },
  }),
});
