import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import { type Decision, decideAccess } from '../access/access-decision.ts';
import { excerpt } from '../access/scope.ts';
import type { RegistryTokenSettings } from '../settings/settings.ts';
import type { Signer } from '../signing/signer.ts';
import { type AccessTokens, proveSender, type Sender, type Verified } from './access-token.ts';
import { createRepeatFilter } from './repeated-refusals.ts';
import type { RequestLog } from './request-log.ts';
import { readCredentials, scopesOf, serviceOf, type TokenRequest } from './token-request.ts';
import type { NewToken } from './tokens.store.ts';

/** Answer of the realm (spec 2.2). */
export interface IssuedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly issuedAt: Date;
  /** For `DPoP-Nonce`, where the request came with a proof (RFC 9449 8.2). */
  readonly nonce: string | undefined;
}

/** Counters of issued and refused tokens (spec 6.7). */
export interface Counters {
  issued(): void;
  rejected(reason: string): void;
}

interface IssueDeps {
  readonly database: Pick<Database, 'system'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly signer: Signer;
  readonly accessTokens: AccessTokens;
  readonly dpop: Dpop;
  readonly records: RequestLog;
  readonly counters: Counters;
}

/** State of a request with a verified access token. */
interface Judged {
  readonly verified: Verified;
  readonly request: TokenRequest;
  sender?: Sender;
  service?: string;
  decision?: Decision;
}

/** Registries' clocks may be a little behind. */
const NOT_BEFORE_SECONDS = 10;
const MAX_TEXT_LENGTH = 512;
/** Upper bound of all scopes in a row, in characters. */
const MAX_TEXT = 2_048;

/** Refusal with its reason for the counter. */
class Refused extends Error {
  readonly fault: Fault;
  readonly why: string;

  constructor(fault: Fault, reason: string) {
    super(fault.message);
    this.fault = fault;
    this.why = reason;
  }
}

/** Requested scopes as a row stores them. */
const describedScopes = (request: TokenRequest): readonly string[] => {
  let remaining = MAX_TEXT;
  return scopesOf(request)
    .flatMap((parameter) => parameter.slice(0, MAX_TEXT).split(' '))
    .filter((text) => text !== '')
    .map((text) => excerpt(text, MAX_TEXT_LENGTH))
    .filter((text) => {
      remaining -= text.length;
      return remaining >= 0;
    });
};

const visible = (text: string | undefined): string | null =>
  text === undefined ? null : excerpt(text, MAX_TEXT_LENGTH);

const errorOf = ({ code, details }: Fault): string =>
  details?.error === 'use_dpop_nonce' ? 'use_dpop_nonce' : String(code);

const refusedBy = ({ allowed, error, reason, cause }: Decision): Refused | undefined =>
  allowed || error === null ? undefined : new Refused(new Fault(error, reason), cause ?? error);

/**
 * Creates the handler of GET and POST of the realm (spec 4.2): verifies, decides, signs, records and answers, in this
 * order.
 */
export const createIssue = (deps: IssueDeps, settings: RegistryTokenSettings) => {
  const { database, clock, ids, signer, accessTokens, dpop, records, counters } = deps;
  const { rules, realm, issuer, requiredScope } = settings;
  const lifetime = Math.floor(settings.lifetimeMs / 1000);
  const prove = proveSender(dpop, realm);
  const isRepeated = createRepeatFilter(clock);

  const rowOf = ({ verified: { holder }, request, sender, service, decision }: Judged) => ({
    id: toId(ids.uuid(), 'RegistryToken'),
    subject: excerpt(holder.subject, MAX_TEXT_LENGTH),
    clientId: excerpt(holder.clientId, MAX_TEXT_LENGTH),
    tokenId: excerpt(holder.tokenId, MAX_TEXT_LENGTH),
    service: visible(service),
    scopes: describedScopes(request),
    plan: decision?.plan ?? visible(holder.plan),
    license: visible(holder.license),
    sender: sender ?? null,
    correlationId: request.requestId,
  });

  /** Authenticates the request and decides it. Throws a Fault of the proof or Refused, with the facts in `judged`. */
  const judge = async (judged: Judged, options: ReturnType<typeof readCredentials>): Promise<Decision> => {
    const { verified, request } = judged;
    judged.sender = await prove(verified, options, request);
    const { scopes, plan, license } = verified.holder;
    if (!scopes.has(requiredScope))
      throw new Refused(
        new Fault('insufficient_scope', `The access token lacks the scope ${requiredScope}.`, { scope: requiredScope }),
        'required_scope',
      );
    const service = serviceOf(request);
    if (service !== undefined) judged.service = service;
    const decision = decideAccess(rules, { service, scope: scopesOf(request), plan, license });
    judged.decision = decision;
    const refused = refusedBy(decision);
    if (refused) throw refused;
    return decision;
  };

  const issue = async (judged: Judged, { access }: Decision): Promise<IssuedToken> => {
    const row = rowOf(judged);
    const iat = Math.floor(clock.now().getTime() / 1000);
    const token = await signer.sign({
      iss: issuer,
      sub: judged.verified.holder.subject,
      aud: judged.service,
      iat,
      nbf: iat - NOT_BEFORE_SECONDS,
      exp: iat + lifetime,
      jti: row.id,
      access,
    });
    const expiresAt = new Date((iat + lifetime) * 1000);
    const issued: NewToken = { ...row, outcome: 'issued', access, expiresAt, error: null, reason: null };
    if (!(await records.write(judged.verified.holder.tenant, issued)))
      throw new Refused(new Fault('invalid_token', 'The access token was revoked.'), 'revoked');
    const nonce = judged.request.dpop === undefined ? undefined : dpop.nonce();
    return { token, expiresIn: lifetime, issuedAt: new Date(iat * 1000), nonce };
  };

  /** Replaces the reason of a refusal when the token is revoked, so that no other reason is disclosed. */
  const deniedOr = async (refused: Refused, { verified: { holder } }: Judged): Promise<Refused> => {
    const { tokenId: jti, tenant, clientId, subject } = holder;
    const isDenied = await database.system.read((query) => isRevoked(query, { jti, tenant, clientId, subject }));
    return isDenied ? new Refused(new Fault('invalid_token', 'The access token was revoked.'), 'revoked') : refused;
  };

  /** Records a refusal; a request for a nonce is none, since the client retries with it. */
  const record = async (judged: Judged, { fault }: Refused): Promise<void> => {
    const { tenant, tokenId } = judged.verified.holder;
    if (errorOf(fault) === 'use_dpop_nonce') return;
    if (judged.sender === undefined && isRepeated(`${tokenId} ${fault.message}`)) return;
    const refused = { outcome: 'refused', access: [], expiresAt: null } as const;
    const reason = excerpt(fault.message, MAX_TEXT_LENGTH);
    await records.write(tenant, { ...rowOf(judged), ...refused, error: errorOf(fault), reason });
  };

  const asRefused = (error: unknown): Refused | undefined => {
    if (error instanceof Refused) return error;
    return error instanceof Fault && error.status < 500 ? new Refused(error, errorOf(error)) : undefined;
  };

  /** The fault to answer with, offering the nonce for the next proof where one came along. */
  const withNonce = (fault: Fault, request: TokenRequest): Fault =>
    request.dpop === undefined
      ? fault
      : new Fault(fault.code, fault.message, { ...fault.details, nonce: dpop.nonce() }, fault.fields);

  const answer = async (request: TokenRequest): Promise<IssuedToken> => {
    const options = readCredentials(request);
    const judged: Judged = { verified: await accessTokens.verify(options.accessToken), request };
    try {
      return await issue(judged, await judge(judged, options));
    } catch (error) {
      const refused = asRefused(error);
      if (!refused) throw error;
      const outcome = refused.why === 'revoked' ? refused : await deniedOr(refused, judged);
      await record(judged, outcome);
      throw outcome;
    }
  };

  /** @throws Fault invalid_request, invalid_scope, invalid_token, insufficient_scope; a database that fails throws */
  return async (request: TokenRequest): Promise<IssuedToken> => {
    try {
      const issued = await answer(request);
      counters.issued();
      return issued;
    } catch (error) {
      const refused = asRefused(error);
      counters.rejected(refused?.why ?? 'failure');
      throw refused ? withNonce(refused.fault, request) : error;
    }
  };
};
