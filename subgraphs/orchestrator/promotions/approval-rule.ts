import { Fault } from '@landfall/kernel/fault';
import type { Decision, PromotionState } from '../words.ts';
import { approveStateRefusal } from './promotion-rules.ts';

interface Decided {
  readonly actor: string;
  readonly decision: Decision;
  readonly gatedDigestSet: string;
}

interface Asked {
  readonly id: string;
  readonly state: PromotionState;
  readonly requestedBy: string;
  readonly approvalsNeeded: number;
  readonly gatedDigestSet: string;
  readonly approvals: readonly Decided[];
}

/** Who approves what, with everything the rule looks at. */
export interface ApprovalCase {
  readonly promotion: Asked;
  readonly approver: string;
  readonly release: { readonly createdBy: string; readonly finalizedBy: string | null };
  readonly environment: { readonly id: string; readonly separationOfDuties: 'off' | 'author' };
  /** The digest set the approver looked at; absent when nobody has approved yet and it is only asked whether they may. */
  readonly seen?: string | undefined;
}

const dutiesRefusal = ({ promotion, approver, release, environment }: ApprovalCase): Fault | undefined => {
  const details = {
    promotion: promotion.id,
    requester: promotion.requestedBy,
    approver,
    environment: environment.id,
  };
  if (promotion.approvalsNeeded > 0 && approver === promotion.requestedBy)
    return new Fault('PERM_SELF_APPROVAL', 'Nobody approves what they requested themselves.', details);
  if (
    environment.separationOfDuties === 'author' &&
    (approver === release.createdBy || approver === release.finalizedBy)
  )
    return new Fault('PERM_SOD_VIOLATION', 'The author of a release does not approve it here.', details);
  return undefined;
};

/** The approvals of a promotion: one counts only for the digest set that it was given for. */
export const approvalsOf = <D extends Decided>({
  approvals,
  gatedDigestSet,
}: {
  readonly approvals: readonly D[];
  readonly gatedDigestSet: string;
}): D[] => approvals.filter((given) => given.decision === 'approved' && given.gatedDigestSet === gatedDigestSet);

/** Whether somebody may approve: duties, then what they have seen, then the state, then whether they did already. */
export const approvalRefusal = (asked: ApprovalCase): Fault | undefined => {
  const { promotion, approver, seen = promotion.gatedDigestSet } = asked;
  const duties = dutiesRefusal(asked);
  if (duties) return duties;
  if (seen !== promotion.gatedDigestSet)
    return new Fault('RES_VERSION_CONFLICT', 'What you looked at is not what would be approved. Look again.', {
      expected: seen,
      actual: promotion.gatedDigestSet,
    });
  const state = approveStateRefusal(promotion);
  if (state) return state;
  return approvalsOf(promotion).some(({ actor }) => actor === approver)
    ? new Fault('RES_ALREADY_EXISTS', 'You have approved this promotion already.', {
        promotion: promotion.id,
        approver,
      })
    : undefined;
};
