import type { CallerKind } from '@landfall/kernel/caller';
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

/** A person or program that wants to approve. */
export interface Approver {
  readonly subject: string;
  readonly kind: CallerKind;
  /**
   * The requester is behind the approver or behind the client that holds the approver's token, or the approver is behind
   * the client that requested.
   */
  readonly isRequesters: boolean;
}

/** Who approves what, with everything the rule looks at. */
export interface ApprovalCase {
  readonly promotion: Asked;
  readonly approver: Approver;
  readonly release: { readonly createdBy: string; readonly finalizedBy: string | null };
  readonly environment: {
    readonly id: string;
    readonly name: string;
    readonly separationOfDuties: 'off' | 'author';
    readonly approvingClientIds: readonly string[];
  };
  /** The digest set the approver looked at; absent when nobody has approved yet and it is only asked whether they may. */
  readonly seen?: string | undefined;
}

type Details = Readonly<Record<string, unknown>>;

/** Nobody approves their own request, nor does it as a client of theirs or through one. */
const selfApproval = ({ promotion, approver }: ApprovalCase, details: Details): Fault | undefined => {
  if (approver.subject === promotion.requestedBy)
    return promotion.approvalsNeeded > 0
      ? new Fault('PERM_SELF_APPROVAL', 'Nobody approves what they requested themselves.', details)
      : undefined;
  if (!approver.isRequesters) return undefined;
  return approver.kind === 'user'
    ? new Fault(
        'PERM_SELF_APPROVAL',
        'You registered, changed or hold the secret of the client that requested this, or the requester does so of the client that you approve with.',
        details,
      )
    : new Fault(
        'PERM_SELF_APPROVAL',
        'A client does not approve what was requested by whoever registered it, changed it or holds its secret.',
        details,
      );
};

/** Approvals are given by people; a client gives one where the policy names it. */
const clientRefusal = ({ approver, environment }: ApprovalCase, details: Details): Fault | undefined =>
  approver.kind === 'user' || environment.approvingClientIds.includes(approver.subject)
    ? undefined
    : new Fault(
        'PERM_ACTION_DENIED',
        `A client approves a promotion to ${environment.name} only when the environment's policy names it. Ask a person to approve, or add the client to the policy.`,
        details,
      );

const dutiesRefusal = (asked: ApprovalCase): Fault | undefined => {
  const { promotion, release, environment } = asked;
  const { subject: approver } = asked.approver;
  const details = {
    promotion: promotion.id,
    requester: promotion.requestedBy,
    approver,
    environment: environment.id,
  };
  const refusal = selfApproval(asked, details) ?? clientRefusal(asked, details);
  if (refusal) return refusal;
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
  return approvalsOf(promotion).some(({ actor }) => actor === approver.subject)
    ? new Fault('RES_ALREADY_EXISTS', 'You have approved this promotion already.', {
        promotion: promotion.id,
        approver: approver.subject,
      })
    : undefined;
};
