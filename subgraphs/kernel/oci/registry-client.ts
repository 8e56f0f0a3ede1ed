import { Fault } from '../core/fault.ts';
import type { TenantId } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';
import { type Digest, isDigest } from '../crypto/digest.ts';
import type { HttpClient, HttpResponse, Timeouts } from '../http/client.ts';
import { basic, type Challenge, type Credentials, parseChallenge, tokenIn, tokenUrl } from './challenge.ts';
import { checkDigest, MANIFEST_TYPES, type Manifest, readManifest } from './manifest.ts';
import { authFailed, invalidAnswer, refusedAnswer, unanswered } from './registry-faults.ts';
import { createTagCollector, readTagPage, type TagList, type TagPage, tagBounds } from './tag-list.ts';

/** Registry with the tenant and the credentials of the request. */
export interface RegistryAccess {
  /** As releases write it: `ghcr.io`, `127.0.0.1:5000`. */
  readonly host: string;
  readonly origin: string;
  readonly credentials?: Credentials | undefined;
  readonly tenant: TenantId;
  readonly correlationId: string;
  /** The origins of the tenant's integrations: only these may be in a private network, also when redirected to. */
  readonly vouched?: ReadonlySet<string>;
  /** Earlier deadline than the default; exceeding it is INT_TIMEOUT. */
  readonly signal?: AbortSignal;
}

const TIMEOUTS: Timeouts = { connect: 5_000, headers: 10_000, body: 10_000, total: 20_000 };
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const REDIRECTS = 3;

/** Request to a registry, below its origin. */
interface RollbackInput {
  readonly accept: string;
  readonly scope?: string;
  /** Entity tag of an earlier answer, which the registry may say still holds. */
  readonly etag?: string | undefined;
  readonly method?: 'GET' | 'HEAD';
}

const scopeOf = (path: string): string => `repository:${path}:pull`;

/** Client of OCI registries (distribution-spec 1.1). Returns failures as Faults. Timeouts are in milliseconds. */
export const createRegistryClient = (http: HttpClient, overrides: Partial<Timeouts> = {}) => {
  const timeouts: Timeouts = { ...TIMEOUTS, ...overrides };

  /** Applies one deadline to the whole exchange: challenge, token, answer. */
  const soon = (access: RegistryAccess): RegistryAccess => {
    const deadline = AbortSignal.timeout(timeouts.total);
    return { ...access, signal: access.signal ? AbortSignal.any([access.signal, deadline]) : deadline };
  };

  const send = async (
    { host, tenant, correlationId, vouched: assertedClaims, signal }: RegistryAccess,
    url: string,
    headers: Record<string, string>,
    method: 'GET' | 'HEAD' = 'GET',
  ): Promise<HttpResponse | Fault> => {
    const answer = await http.send({
      url,
      method,
      headers,
      tenant,
      correlationId,
      ...(assertedClaims && { vouched: assertedClaims }),
      ...(signal && { signal }),
      timeouts,
      maxBytes: MAX_MANIFEST_BYTES,
      redirects: REDIRECTS,
    });
    return answer.kind === 'response' ? answer : unanswered(answer, host);
  };

  const fetchToken = async (access: RegistryAccess, challenge: Challenge, scope: string | undefined) => {
    const url = tokenUrl(challenge, scope);
    if (!url) return invalidAnswer(access.host, 'its challenge names no token service.');
    const headers = access.credentials ? { authorization: basic(access.credentials) } : {};
    const answer = await send(access, url, headers);
    if (answer instanceof Fault) return answer;
    if (answer.status === 401 || answer.status === 403) return authFailed(access.host, answer.status);
    if (answer.status !== 200)
      return refusedAnswer(access.host, answer, { path: '', reference: 'token', isTag: false });
    const token = tokenIn(parseJson(answer.body));
    return token === undefined ? invalidAnswer(access.host, 'its token service gave no token.') : `Bearer ${token}`;
  };

  /** Authorization that answers a challenge: a token, the credentials themselves, or a Fault. */
  const authorize = async (access: RegistryAccess, header: string | undefined, scope: string | undefined) => {
    const challenge = parseChallenge(header ?? '');
    if (challenge.scheme === 'bearer') return fetchToken(access, challenge, scope);
    if (challenge.scheme === 'basic' && access.credentials) return basic(access.credentials);
    return authFailed(access.host, 401);
  };

  const get = async (
    access: RegistryAccess,
    path: string,
    { accept, scope, etag, method }: RollbackInput,
  ): Promise<HttpResponse | Fault> => {
    const url = `${access.origin}${path}`;
    const headers = { accept, ...(etag !== undefined && { 'if-none-match': etag }) };
    const answer = await send(access, url, headers, method);
    if (answer instanceof Fault || answer.status !== 401) return answer;
    const authorization = await authorize(access, answer.headers['www-authenticate'], scope);
    return authorization instanceof Fault ? authorization : send(access, url, { ...headers, authorization }, method);
  };

  /** Requests a page of a list of tags; undefined if the registry says that the one with `etag` still holds. */
  const getTagPage = async (access: RegistryAccess, path: string, target: string, etag: string | undefined) => {
    const answer = await get(access, target, { accept: 'application/json', scope: scopeOf(path), etag });
    if (answer instanceof Fault) return answer;
    if (answer.status === 304 && etag !== undefined) return undefined;
    if (answer.status !== 200) return refusedAnswer(access.host, answer, { path, reference: 'tags', isTag: false });
    return (
      readTagPage(access.origin, path, answer) ??
      invalidAnswer(access.host, 'its list of tags is not of the form of one.')
    );
  };

  /** Requests the tag list, to distinguish a missing repository from a missing tag. */
  const askForRepository = async (
    access: RegistryAccess,
    path: string,
    missing: HttpResponse,
  ): Promise<HttpResponse> => {
    const list = await get(access, `/v2/${path}/tags/list?n=1`, { accept: 'application/json', scope: scopeOf(path) });
    return !(list instanceof Fault) && list.status === 404 ? list : missing;
  };

  return {
    authorize,

    /** Manifest or index of a tag or digest, with verified bytes. Returns the Faults REL_TAG_NOT_FOUND and INT_*. */
    async manifest(bounded: RegistryAccess, path: string, reference: string): Promise<Manifest | Fault> {
      const access = soon(bounded);
      const answer = await get(access, `/v2/${path}/manifests/${reference}`, {
        accept: MANIFEST_TYPES,
        scope: scopeOf(path),
      });
      if (answer instanceof Fault) return answer;
      const isTag = !isDigest(reference);
      if (answer.status !== 200) {
        const informative = answer.status === 404 && isTag ? await askForRepository(access, path, answer) : answer;
        return refusedAnswer(access.host, informative, { path, reference, isTag });
      }
      const manifest = readManifest(answer.body, answer.headers['content-type'] ?? '');
      if (typeof manifest === 'string') return invalidAnswer(access.host, manifest);
      const problem = checkDigest(manifest, answer.headers['docker-content-digest'], reference);
      return problem === undefined ? manifest : invalidAnswer(access.host, problem);
    },

    /**
     * Tags of a repository, all pages of the list within one deadline. Undefined if the registry says that the list with
     * `etag` still holds. Returns the Faults INT_*.
     */
    async tags(bounded: RegistryAccess, path: string, etag?: string): Promise<TagList | Fault | undefined> {
      const access = soon(bounded);
      const collected = createTagCollector();
      let known = etag;
      for (let next: string | undefined = `/v2/${path}/tags/list?n=${tagBounds.page}`; next !== undefined; ) {
        const page: TagPage | Fault | undefined = await getTagPage(access, path, next, known);
        if (page === undefined || page instanceof Fault) return page;
        // The entity tag is that of the first page.
        known = undefined;
        next = collected.add(page);
      }
      return collected.list();
    },

    /** Digest that a registry says a tag has, unverified; undefined where it does not say. Returns Faults as `manifest`. */
    async digest(bounded: RegistryAccess, path: string, tag: string): Promise<Digest | Fault | undefined> {
      const access = soon(bounded);
      const answer = await get(access, `/v2/${path}/manifests/${tag}`, {
        accept: MANIFEST_TYPES,
        scope: scopeOf(path),
        method: 'HEAD',
      });
      if (answer instanceof Fault) return answer;
      if (answer.status === 405) return undefined;
      if (answer.status !== 200) return refusedAnswer(access.host, answer, { path, reference: tag, isTag: true });
      const digest = answer.headers['docker-content-digest'];
      return digest !== undefined && isDigest(digest) ? digest : undefined;
    },

    /** Answer of a registry for a repository's path such as `manifests/…`, whatever its status, or a Fault INT_*. */
    fetch(bounded: RegistryAccess, path: string, noun: string, accept: string): Promise<HttpResponse | Fault> {
      return get(soon(bounded), `/v2/${path}/${noun}`, { accept, scope: scopeOf(path) });
    },

    /** Checks that a registry answers and accepts credentials (distribution-spec 1.1, end-1). Returns a Fault INT_*. */
    async ping(bounded: RegistryAccess): Promise<Fault | undefined> {
      const access = soon(bounded);
      const answer = await get(access, '/v2/', { accept: 'application/json' });
      if (answer instanceof Fault) return answer;
      if (answer.status !== 200)
        return refusedAnswer(access.host, answer, { path: 'v2', reference: '/', isTag: false });
      return undefined;
    },
  };
};

export type RegistryClient = ReturnType<typeof createRegistryClient>;
