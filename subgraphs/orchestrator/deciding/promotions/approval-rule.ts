import { Fault } from '@landfall/kernel/core/fault';
import type { Decision, PromotionState } from '../../shared/enums.ts';
import { type Actor, type Party, relationOf, relationRefusal } from './actor.ts';
import { approveStateRefusal } from './promotion-rules.ts';

interface Decided {
  readonly actor: string;
  /** Clients that held the approver's token; null where they were not recorded. */
  readonly givenThrough: readonly string[] | null;
  readonly decision: Decision;
  readonly gatedDigestSet: string;
}

interface RollbackInput {
  readonly id: string;
  readonly state: PromotionState;
  readonly requestedBy: string;
  /** Clients that held the requester's token; null where they were not recorded. */
  readonly requestedThrough: readonly string[] | null;
  readonly approvalsNeeded: number;
  readonly gatedDigestSet: string;
  readonly approvals: readonly Decided[];
}

interface Made {
  readonly createdBy: string;
  readonly createdThrough: readonly string[] | null;
  readonly finalizedBy: string | null;
  readonly finalizedThrough: readonly string[] | null;
}

export interface ApprovalCase {
  readonly promotion: RollbackInput;
  readonly approver: Actor;
  readonly release: Made;
  readonly environment: {
    readonly id: string;
    readonly name: string;
    readonly separationOfDuties: 'off' | 'author';
    readonly approvingClientIds: readonly string[];
  };
  /** Digest set that was shown to the approver; absent when only the permission to approve is asked. */
  readonly seen?: string | undefined;
}

type Details = Readonly<Record<string, unknown>>;

/** Refuses an approver who requested the promotion or has a controller in common with the requester. */
const selfApproval = ({ promotion, approver }: ApprovalCase, details: Details): Fault | undefined => {
  if (promotion.approvalsNeeded === 0) return undefined;
  const requester = { subject: promotion.requestedBy, through: promotion.requestedThrough };
  if (approver.subject === requester.subject)
    return new Fault('PERM_SELF_APPROVAL', 'Nobody approves what they requested themselves.', details);
  const relation = relationOf(approver, requester);
  const message = 'The request and your approval have a controller in common.';
  return relationRefusal('PERM_SELF_APPROVAL', message, approver, relation, 'approve', details);
};

/** Refuses a client as approver unless the environment's policy names it. */
const clientRefusal = ({ approver, environment }: ApprovalCase, details: Details): Fault | undefined =>
  approver.kind === 'user' || environment.approvingClientIds.includes(approver.subject)
    ? undefined
    : new Fault(
        'PERM_ACTION_DENIED',
        `A client approves a promotion to ${environment.name} only when the environment's policy names it. Ask a person to approve, or add the client to the policy.`,
        details,
      );

const authorsOf = ({ createdBy, createdThrough, finalizedBy, finalizedThrough }: Made): readonly Party[] => {
  const creator = { subject: createdBy, through: createdThrough };
  return finalizedBy === null ? [creator] : [creator, { subject: finalizedBy, through: finalizedThrough }];
};

/** Selects the relation to report: one that another client would not resolve, otherwise the first one. */
const strongestRelation = (approver: Actor, parties: readonly Party[]) => {
  const found = parties.flatMap((party) => relationOf(approver, party) ?? []);
  return found.find(({ isOwn }) => isOwn) ?? found[0];
};

/** Separation of duties: refuses an approver who has a controller in common with the release's author or finalizer. */
const authorRefusal = ({ approver, release, environment }: ApprovalCase, details: Details): Fault | undefined => {
  if (environment.separationOfDuties !== 'author') return undefined;
  const authors = authorsOf(release);
  if (authors.some(({ subject }) => subject === approver.subject))
    return new Fault('PERM_SOD_VIOLATION', 'The author of a release does not approve it here.', details);
  const relation = strongestRelation(approver, authors);
  const message = "The release's author and your approval have a controller in common.";
  return relationRefusal('PERM_SOD_VIOLATION', message, approver, relation, 'approve', details);
};

const dutiesRefusal = (ruleCase: ApprovalCase): Fault | undefined => {
  const { promotion, environment } = ruleCase;
  const { subject: approver } = ruleCase.approver;
  const details = {
    promotion: promotion.id,
    requester: promotion.requestedBy,
    approver,
    environment: environment.id,
  };
  return selfApproval(ruleCase, details) ?? clientRefusal(ruleCase, details) ?? authorRefusal(ruleCase, details);
};

/** Filters the decisions of a promotion that count: approvals of exactly its digest set. */
export const approvalsOf = <D extends Decided>({
  approvals,
  gatedDigestSet,
}: {
  readonly approvals: readonly D[];
  readonly gatedDigestSet: string;
}): D[] =>
  approvals.filter((approvals) => approvals.decision === 'approved' && approvals.gatedDigestSet === gatedDigestSet);

/** Refuses a second approval by the same person: approvals that share a controller count once. */
const repetitionRefusal = ({ promotion, approver }: ApprovalCase): Fault | undefined => {
  const approvals = approvalsOf(promotion);
  const details = { promotion: promotion.id, approver: approver.subject };
  if (approvals.some(({ actor }) => actor === approver.subject))
    return new Fault('RES_ALREADY_EXISTS', 'You have approved this promotion already.', details);
  const relation = strongestRelation(
    approver,
    approvals.map(({ actor, givenThrough }) => ({ subject: actor, through: givenThrough })),
  );
  const message = 'Your approval and one given before have a controller in common and count once.';
  return relationRefusal('RES_ALREADY_EXISTS', message, approver, relation, 'approve', details);
};

/** Decides whether an approver may approve: duties, then the digests shown, then the state, then repetition. */
export const approvalRefusal = (ruleCase: ApprovalCase): Fault | undefined => {
  const { promotion, seen = promotion.gatedDigestSet } = ruleCase;
  const duties = dutiesRefusal(ruleCase);
  if (duties) return duties;
  if (seen !== promotion.gatedDigestSet)
    return new Fault(
      'RES_VERSION_CONFLICT',
      'The release’s digests changed since you opened the promotion. Review them again.',
      {
        expected: seen,
        actual: promotion.gatedDigestSet,
      },
    );
  return approveStateRefusal(promotion) ?? repetitionRefusal(ruleCase);
};
