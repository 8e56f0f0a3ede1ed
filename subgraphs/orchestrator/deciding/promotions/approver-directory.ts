import { isId } from '@landfall/kernel/core/ids';
import type { ApproverDirectory } from '@landfall/kernel/module';
import { findPathEntry } from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { approves } from '../../shared/scopes.ts';
import { approvalRefusal } from './approval-rule.ts';
import { getApprovingActor } from './approving-actor.ts';
import * as promotions from './promotion.ts';

/** Client of an approver who is not at work yet: one that has no controllers, as the console. */
const NO_CLIENT = '';

/** Approvers for other modules, in every role: it reads the tables on the connection of its caller. */
export const approverDirectory: ApproverDirectory = {
  scope: approves[0],
  async filterApprovers(query, tenant, promotionId, ids) {
    const promotion = isId(promotionId, 'Promotion') ? await promotions.find(query, tenant, promotionId) : undefined;
    const release = promotion && (await releases.find(query, tenant, promotion.releaseId));
    const entry = release && (await findPathEntry(query, tenant, release.productId, promotion.targetEnvironmentId));
    if (!entry) return [];
    const { environment } = entry;
    const approvers: string[] = [];
    for (const subject of ids) {
      const person = { subject, kind: 'user', clientId: NO_CLIENT, tenant } as const;
      const approver = await getApprovingActor(query, person, [promotion.id]);
      if (!approvalRefusal({ promotion, release, environment, approver })) approvers.push(subject);
    }
    return approvers;
  },
};
