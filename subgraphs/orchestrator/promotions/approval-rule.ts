import type { CallerKind } from '@landfall/kernel/caller';
import { Fault } from '@landfall/kernel/fault';
import type { Decision, PromotionState } from '../words.ts';
import { approveStateRefusal } from './promotion-rules.ts';

interface Decided {
  readonly actor: string;
  /** The client that held the actor's token; null where it was not recorded. */
  readonly clientId: string | null;
  readonly decision: Decision;
  readonly gatedDigestSet: string;
}

interface Asked {
  readonly id: string;
  readonly state: PromotionState;
  readonly requestedBy: string;
  /** The client that held the requester's token; null where it was not recorded. */
  readonly requestingClientId: string | null;
  readonly approvalsNeeded: number;
  readonly gatedDigestSet: string;
  readonly approvals: readonly Decided[];
}

/** A person or program that wants to approve. */
export interface Approver {
  readonly subject: string;
  readonly kind: CallerKind;
  /** The client that holds the approver's token: the approver itself where that is a client. */
  readonly clientId: string;
  /** Parties of the promotion that have a controller in common with the approver or with the approver's client. */
  readonly related: ReadonlySet<string>;
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

/** A person or client, and the client that held the token. */
interface Party {
  readonly subject: string;
  readonly clientId: string | null;
}

/** Whether one person could be at both ends: directly, or through a client that they control. */
const isRelated = ({ subject, clientId, related }: Approver, party: Party): boolean =>
  party.subject === subject ||
  party.subject === clientId ||
  related.has(party.subject) ||
  (party.clientId !== null && related.has(party.clientId));

/** Ends each refusal of somebody who is related to another party only through clients. */
const ASK_ANOTHER = 'Ask another person to approve, or approve in the console.';

/** Nobody approves their own request, nor does it as a client of theirs or through one. */
const selfApproval = ({ promotion, approver }: ApprovalCase, details: Details): Fault | undefined => {
  if (approver.subject === promotion.requestedBy)
    return promotion.approvalsNeeded > 0
      ? new Fault('PERM_SELF_APPROVAL', 'Nobody approves what they requested themselves.', details)
      : undefined;
  if (!isRelated(approver, { subject: promotion.requestedBy, clientId: promotion.requestingClientId }))
    return undefined;
  return approver.kind === 'user'
    ? new Fault(
        'PERM_SELF_APPROVAL',
        `The request and your approval have somebody in common who registered, changed or holds the secret of the client that requested, or of the client that you approve with. ${ASK_ANOTHER}`,
        details,
      )
    : new Fault(
        'PERM_SELF_APPROVAL',
        'A client does not approve what was requested by whoever registered it, changed it or holds its secret, nor through a client of theirs. Ask a person to approve.',
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

/** Where duties are separated, nobody approves a release that they, or clients related to them, made or finalized. */
const authorRefusal = ({ approver, release, environment }: ApprovalCase, details: Details): Fault | undefined => {
  if (environment.separationOfDuties !== 'author') return undefined;
  const authors = [release.createdBy, release.finalizedBy].filter((author) => author !== null);
  if (authors.includes(approver.subject))
    return new Fault('PERM_SOD_VIOLATION', 'The author of a release does not approve it here.', details);
  return authors.some((author) => isRelated(approver, { subject: author, clientId: null }))
    ? new Fault(
        'PERM_SOD_VIOLATION',
        `The author of a release does not approve it here. The author and your approval have somebody in common who registered, changed or holds the secret of a client. ${ASK_ANOTHER}`,
        details,
      )
    : undefined;
};

const dutiesRefusal = (asked: ApprovalCase): Fault | undefined => {
  const { promotion, environment } = asked;
  const { subject: approver } = asked.approver;
  const details = {
    promotion: promotion.id,
    requester: promotion.requestedBy,
    approver,
    environment: environment.id,
  };
  return selfApproval(asked, details) ?? clientRefusal(asked, details) ?? authorRefusal(asked, details);
};

/** The approvals of a promotion: one counts only for the digest set that it was given for. */
export const approvalsOf = <D extends Decided>({
  approvals,
  gatedDigestSet,
}: {
  readonly approvals: readonly D[];
  readonly gatedDigestSet: string;
}): D[] => approvals.filter((given) => given.decision === 'approved' && given.gatedDigestSet === gatedDigestSet);

/** Approvals that one person could have given twice count once, so the second is refused. */
const repetitionRefusal = ({ promotion, approver }: ApprovalCase): Fault | undefined => {
  const given = approvalsOf(promotion);
  const details = { promotion: promotion.id, approver: approver.subject };
  if (given.some(({ actor }) => actor === approver.subject))
    return new Fault('RES_ALREADY_EXISTS', 'You have approved this promotion already.', details);
  return given.some(({ actor, clientId }) => isRelated(approver, { subject: actor, clientId }))
    ? new Fault(
        'RES_ALREADY_EXISTS',
        `This approval counts once with one that was given before: both have somebody in common who registered, changed or holds the secret of a client. ${ASK_ANOTHER}`,
        details,
      )
    : undefined;
};

/** Whether somebody may approve: duties, then what they have seen, then the state, then whether they did already. */
export const approvalRefusal = (asked: ApprovalCase): Fault | undefined => {
  const { promotion, seen = promotion.gatedDigestSet } = asked;
  const duties = dutiesRefusal(asked);
  if (duties) return duties;
  if (seen !== promotion.gatedDigestSet)
    return new Fault('RES_VERSION_CONFLICT', 'What you looked at is not what would be approved. Look again.', {
      expected: seen,
      actual: promotion.gatedDigestSet,
    });
  return approveStateRefusal(promotion) ?? repetitionRefusal(asked);
};
