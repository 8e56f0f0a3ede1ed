import { exactBase64 } from '@landfall/attestation/signature/signed-note';
import { timestampRequest } from '@landfall/attestation/timestamps/timestamp';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { ContentDates, Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { AIRGAP_READ, AIRGAP_SEAL } from '../shared/scopes.ts';
import * as anchors from './anchors.store.ts';
import { type Challenge, createChallenges, requestNonceOf } from './challenge.ts';
import * as clocks from './clocks.store.ts';
import { createContentAges } from './content-ages.ts';
import type { MonotonicReading } from './monotonic-clock.ts';
import type { TenantTime, TenantTimes } from './tenant-time.ts';
import type { TimeOptions } from './time-options.ts';
import { parseTrustRoots, type TrustRoots } from './trust-roots.ts';
import { replayed, verifyStatement, verifyTimestamp } from './verify-anchor.ts';

const record = eventsOf('AirGap');

/** Lead over a wall clock that is not behind, from which an anchor is marked. */
const FUTURE_MS = 300_000;
const MAX_TOKEN_CHARACTERS = 131_072;

interface TimeServiceDeps extends Pick<Deps, 'operation' | 'clock' | 'secrets'> {
  readonly options: TimeOptions;
  readonly times: TenantTimes;
  readonly readMonotonicClock: () => MonotonicReading;
  readonly contentDates: ContentDates;
  /** Called in the transaction that accepted an anchor. */
  accepted(tx: Tx, tenant: TenantId, time: TenantTime): Promise<void>;
}

/** Bytes of an anchor in standard base64. @throws Fault VAL_INVALID_FORMAT */
const tokenOf = (text: string): Buffer => {
  const token = exactBase64(text);
  if (token && token.length > 0) return token;
  throw invalid([{ field: 'token', message: 'token is not base64', code: 'VAL_INVALID_FORMAT' }]);
};

/** Refusal of a request without one of its fields. */
const missing = (field: string): Fault =>
  invalid([{ field, message: `${field} is required`, code: 'VAL_REQUIRED_FIELD' }]);

/** Creates the time service of an environment (spec 2.7, 4.6). */
export const createTimeService = (deps: TimeServiceDeps) => {
  const { operation, clock, options, times, readMonotonicClock, accepted } = deps;
  const challenges = createChallenges(deps);
  const contentAges = createContentAges(deps);

  /** @throws Fault PERM_TENANT_MISMATCH */
  const refuseOthers = (tenant: TenantId, named: readonly string[]): void => {
    const other = named.find((each) => each !== tenant);
    if (other !== undefined)
      throw new Fault('PERM_TENANT_MISMATCH', `tenantId is ${other}, and the token is for ${tenant}.`);
    if (options.tenant !== undefined && options.tenant !== tenant)
      throw new Fault('PERM_TENANT_MISMATCH', `This installation's time service is for another tenant than ${tenant}.`);
  };

  /** Trust roots of a request. @throws Fault airgap_anchor_rejected, VAL_INVALID_FORMAT */
  const rootsOf = (pem: string | undefined): TrustRoots => {
    if (pem === undefined) return options.roots;
    if (!options.allowsRequestRoots)
      throw new Fault(
        'airgap_anchor_rejected',
        'The time anchor is refused: this installation takes no trust roots with a request. Put them in AirGap:Time:TrustRootFile.',
      );
    try {
      const { authorities, keys } = parseTrustRoots(pem, 'trustRoots');
      return { authorities: [...options.roots.authorities, ...authorities], keys: [...options.roots.keys, ...keys] };
    } catch {
      throw invalid([
        { field: 'trustRoots', message: 'trustRoots holds no chain or key in PEM', code: 'VAL_INVALID_FORMAT' },
      ]);
    }
  };

  const showChallenge = (challenge: Challenge) => ({
    ...challenge,
    request: timestampRequest(Buffer.from(challenge.data), requestNonceOf(challenge)).toString('base64'),
  });

  const view = async (query: Query, tenant: TenantId) => {
    const time = await times.read(query, tenant);
    const number = (await clocks.find(query, tenant))?.challenge ?? 1;
    return {
      tenant,
      ...time,
      anchor: time.anchor ? { ...time.anchor, trusted: times.isTrusted(time.anchor) } : null,
      wallClock: clock.now(),
      ...options.staleness,
      challenge: showChallenge(challenges.of(tenant, number)),
      content: await contentAges(query, tenant, time.now),
    };
  };

  return {
    status: operation({
      name: 'timeService.status',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => view(query, tenant),
    }),

    /** Accepts a time anchor over the current challenge. */
    setAnchor: operation({
      name: 'timeAnchor.set',
      kind: 'write',
      scope: AIRGAP_SEAL,
      input: Type.Object({
        /** Tenants that the request names beside its token. */
        tenantIds: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 4 })),
        // Required, which is said only once the tenants agree: another tenant is refused whatever else is missing.
        source: Type.Optional(oneOf('rfc3161', 'operator_dsse')),
        token: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TOKEN_CHARACTERS })),
        trustRoots: Type.Optional(Type.String({ maxLength: 65_536 })),
      }),
      raises: ['PERM_TENANT_MISMATCH', 'airgap_anchor_rejected', 'airgap_anchor_replayed', 'airgap_anchor_foreign'],
      example: { source: 'rfc3161', token: 'MAM=' },
      async run(who, { tenantIds = [], source, token: text, trustRoots }, tx) {
        const { tenant } = who;
        refuseOthers(tenant, tenantIds);
        if (source === undefined) throw missing('source');
        if (text === undefined) throw missing('token');
        const roots = rootsOf(trustRoots);
        const token = tokenOf(text);
        const wall = clock.now();
        const { challenge: number } = await clocks.lock(tx, tenant, wall);
        const digest = sha256(token);
        if (await anchors.exists(tx, tenant, digest)) throw replayed('it was accepted before');
        const verify = source === 'rfc3161' ? verifyTimestamp : verifyStatement;
        const found = verify(token, {
          tenant,
          challenge: challenges.of(tenant, number),
          wasEarlier: (isAnswered) => challenges.wasEarlier(tenant, number, isAnswered),
          roots,
        });
        const { anchorTime, accuracySeconds, trustRootDigest } = found;
        const { now: before, counted } = await times.read(tx, tenant);
        if (counted && anchorTime.getTime() + accuracySeconds * 1_000 < counted.anchorTime.getTime())
          throw replayed('its time is before that of the anchor that counts');
        const { bootId, ms } = readMonotonicClock();
        const isWallBehind = before > wall;
        const anchor = await anchors.insert(tx, tenant, {
          ...{ digest, source, challenge: number, token, bootId },
          ...found,
          trusted: trustRootDigest !== null,
          isFuture: !isWallBehind && anchorTime.getTime() - wall.getTime() > FUTURE_MS,
          acceptedAt: wall,
          acceptedMonotonic: ms,
          acceptedBy: who.subject,
        });
        const time = await times.read(tx, tenant);
        await clocks.advance(tx, tenant, time.now);
        await accepted(tx, tenant, time);
        const { trusted, isFuture } = anchor;
        const data = { source, digest, anchorTime: anchorTime.toISOString(), accuracySeconds, trusted, isFuture };
        await record(tx, who, 'timeAnchor.set', { id: tenant, version: number }, data);
        return view(tx, tenant);
      },
    }),
  };
};

export type TimeStatus = Awaited<ReturnType<ReturnType<typeof createTimeService>['status']>>;
