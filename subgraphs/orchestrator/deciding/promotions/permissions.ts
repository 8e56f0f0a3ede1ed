import type { Context } from '../../context.ts';
import { type Permission, permission } from '../../shared/permission.ts';
import { approvalRefusal } from './approval-rule.ts';
import { cancelRefusal, rejectRefusal } from './promotion-rules.ts';
import type { Promotion } from './promotions.store.ts';
import type { ReleaseInEnvironment } from './release-path.ts';
import { requestRefusal } from './request-rule.ts';

export const canApprove = (promotion: Promotion, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.promotions.approve.spec, async () =>
    approvalRefusal({
      promotion,
      approver: await loaders.approver.load(promotion.id),
      release: await loaders.release.get(promotion.releaseId),
      environment: await loaders.environment.get(promotion.targetEnvironmentId),
    }),
  );

export const canReject = (promotion: Promotion, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.promotions.reject.spec, () => rejectRefusal(promotion));

export const canCancel = (promotion: Promotion, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.promotions.cancel.spec, () => cancelRefusal(promotion));

export const canRequest = ({ asked }: ReleaseInEnvironment, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.promotions.request.spec, () => requestRefusal(asked));
