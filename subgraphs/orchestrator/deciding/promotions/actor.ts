import type { CallerKind } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Relation } from '@landfall/kernel/identity/client-controllers';
import type { FaultCode } from '@landfall/schema/codes';

/** Person or client that acted on a promotion or its release. */
export interface Party {
  readonly subject: string;
  /** Clients that held the party's token, the last one first; null where they were not recorded. */
  readonly through: readonly string[] | null;
}

/** Person or client that wants to approve or launch. */
export interface Actor {
  readonly subject: string;
  readonly kind: CallerKind;
  /** Client that holds the actor's token: the actor itself if the actor is a client. */
  readonly clientId: string;
  /** Parties of the promotion, and clients that held their tokens, that share a controller with the actor. */
  readonly related: ReadonlyMap<string, Relation>;
}

/** Returns the controllers that the actor and a party have in common, merged over all ids of the party. */
export const relationOf = ({ subject, clientId, related }: Actor, party: Party): Relation | undefined => {
  const found = [party.subject, ...(party.through ?? [])].flatMap((id) => related.get(id) ?? []);
  // A client that holds the actor's token is one side of the relation and the other.
  if (party.subject === clientId) found.push({ isOwn: clientId === subject, clients: [clientId] });
  if (found.length === 0) return undefined;
  const clients = [...new Set(found.flatMap((each) => each.clients))].sort();
  return { isOwn: found.some(({ isOwn }) => isOwn), clients };
};

/** Advice for an actor refused because of a relation. The console is a way out only if the client alone caused it. */
const adviceOf = ({ kind }: Actor, { isOwn }: Relation, verb: 'approve' | 'launch'): string => {
  if (kind !== 'user') return `Ask a person to ${verb}.`;
  return isOwn ? `Ask another person to ${verb}.` : `Ask another person to ${verb}, or ${verb} in the console.`;
};

/** Refuses an actor who has a controller in common with a party, with advice on who may act instead. */
export const relationRefusal = (
  code: FaultCode,
  message: string,
  actor: Actor,
  relation: Relation | undefined,
  verb: 'approve' | 'launch',
  details: Readonly<Record<string, unknown>>,
): Fault | undefined =>
  relation &&
  new Fault(code, `${message} ${adviceOf(actor, relation, verb)}`, { ...details, clients: relation.clients });
