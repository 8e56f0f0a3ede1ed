import { Fault } from '@landfall/kernel/core/fault';
import type { PromotionState } from '../../shared/enums.ts';

/** Code that refuses one action, by state (design 3.2); absent where the action is allowed. */
type Row = Readonly<Partial<Record<PromotionState, Fault['code']>>>;

const over = { deployed: 'PROM_NOT_PENDING', failed: 'PROM_NOT_PENDING', superseded: 'PROM_NOT_PENDING' } as const;

const approve: Row = {
  approved: 'PROM_ALREADY_APPROVED',
  rejected: 'PROM_ALREADY_REJECTED',
  cancelled: 'PROM_ALREADY_CANCELLED',
  deploying: 'PROM_NOT_PENDING',
  ...over,
};

const reject: Row = { ...approve, approved: 'PROM_NOT_PENDING' };

const cancel: Row = {
  rejected: 'PROM_ALREADY_REJECTED',
  cancelled: 'PROM_ALREADY_CANCELLED',
  deploying: 'PROM_DEPLOYING',
  deployed: 'PROM_INVALID_STATE',
  failed: 'PROM_INVALID_STATE',
  superseded: 'PROM_INVALID_STATE',
};

const refusalIn =
  (row: Row, action: string) =>
  ({ state }: { readonly state: PromotionState }): Fault | undefined => {
    const code = row[state];
    return code && new Fault(code, `A promotion that is ${state} cannot be ${action}.`, { state });
  };

export const approveStateRefusal = refusalIn(approve, 'approved');
export const rejectRefusal = refusalIn(reject, 'rejected');
export const cancelRefusal = refusalIn(cancel, 'cancelled');

/** Refuses a promotion to an exclusive environment that has an open one of another product. */
export const exclusiveRefusal = (
  environment: { readonly id: string; readonly name: string },
  open: { readonly promotionId: string; readonly productId: string },
): Fault =>
  new Fault(
    'PROM_ALREADY_EXISTS',
    `Another product has an open promotion to ${environment.name}, which takes one product at a time.`,
    { environment: environment.id, product: open.productId, promotion: open.promotionId },
  );

/** Refuses a second open promotion of a release to the same environment. */
export const openPromotionRefusal = (open: {
  readonly releaseId: string;
  readonly targetEnvironmentId: string;
}): Fault =>
  new Fault('PROM_ALREADY_EXISTS', 'An open promotion of this release to this environment is already there.', {
    release: open.releaseId,
    environment: open.targetEnvironmentId,
  });
