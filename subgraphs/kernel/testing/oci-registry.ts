import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Digest, isDigest } from '../crypto/digest.ts';
import { descriptorOf } from './oci-artifact.ts';
import { type Image, type Manifest, mediaTypes } from './oci-image.ts';

/** Fault of a registry for requests whose path contains `match`. The newest fault that matches wins. */
export type RegistryFault = Readonly<
  | { kind: 'corrupt'; match: string }
  | { kind: 'hang'; match: string }
  | { kind: 'trickle'; match: string; everyMs: number }
  | { kind: 'status'; match: string; status: number; times?: number }
  | { kind: 'redirect'; match: string; to: string }
  /** Says that the content has another digest. */
  | { kind: 'lie'; match: string; digest: Digest }
  /** Goes on with spaces, which JSON takes, until there are so many bytes. */
  | { kind: 'bloat'; match: string; bytes: number; isDeclared: boolean }
>;

type Bloat = Extract<RegistryFault, { kind: 'bloat' }>;

export type RegistryOptions = Readonly<{
  /** Asks every request for a bearer token (distribution-spec token authentication), granted to these credentials. */
  credentials?: Readonly<{ username: string; password: string }>;
  /** Address of the token server; this registry by default. */
  realm?: string;
  port?: number;
  /** Answers the referrers API of distribution-spec 1.1, which the reference implementation does not. */
  hasReferrers?: boolean;
  /** Gives lists of tags an ETag, and answers 304 to one that still holds. */
  hasEtags?: boolean;
}>;

type Repository = Readonly<{ manifests: Map<Digest, Manifest>; tags: Map<string, Digest>; blobs: Map<Digest, Buffer> }>;
type Answer = Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body?: Buffer }>;

/** A request as it arrived, so that a test can say what was asked and with which authority. */
type RegistryRequest = Readonly<{ method: string; path: string; authorization: string | undefined }>;

const accessToken = 'registry-access';

const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
});

const refusal = (status: number, code: string, headers?: Readonly<Record<string, string>>): Answer =>
  json(status, { errors: [{ code, message: code.toLowerCase().replaceAll('_', ' ') }] }, headers);

const found = (digest: Digest, mediaType: string, body: Buffer): Answer => ({
  status: 200,
  headers: { 'content-type': mediaType, 'docker-content-digest': digest },
  body,
});

const route = /^\/v2\/(?<name>.+)\/(?<kind>manifests|blobs|tags|referrers)\/(?<reference>[^/]+)$/;

const manifestAnswer = (repository: Repository | undefined, reference: string): Answer => {
  const digest = isDigest(reference) ? reference : repository?.tags.get(reference);
  const manifest = digest && repository?.manifests.get(digest);
  return manifest ? found(manifest.digest, manifest.mediaType, manifest.bytes) : refusal(404, 'MANIFEST_UNKNOWN');
};

const blobAnswer = (repository: Repository | undefined, reference: string): Answer => {
  const body = isDigest(reference) ? repository?.blobs.get(reference) : undefined;
  return body && isDigest(reference)
    ? found(reference, 'application/octet-stream', body)
    : refusal(404, 'BLOB_UNKNOWN');
};

const referrersAnswer = (repository: Repository | undefined, subject: string): Answer => {
  const attached = [...(repository?.manifests.values() ?? [])].filter(
    ({ bytes }) => JSON.parse(bytes.toString('utf8')).subject?.digest === subject,
  );
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: attached.map(descriptorOf) };
  return json(200, index, { 'content-type': mediaTypes.index });
};

/** A page of the list of tags (distribution-spec 1.1, end-8b). */
const tagsAnswer = (name: string, { tags }: Repository, query: URLSearchParams): Answer => {
  const all = [...tags.keys()].sort();
  const last = query.get('last');
  const rest = last === null ? all : all.filter((tag) => tag > last);
  const size = Number(query.get('n') ?? rest.length);
  const page = rest.slice(0, size);
  const link = `</v2/${name}/tags/list?n=${size}&last=${page.at(-1) ?? ''}>; rel="next"`;
  return json(200, { name, tags: page }, page.length < rest.length ? { link } : {});
};

/** Answer with its entity tag, or that the one the client has still holds. */
const conditional = (answer: Answer, known: string | undefined): Answer => {
  const etag = `"${createHash('sha256')
    .update(answer.body ?? '')
    .digest('hex')
    .slice(0, 16)}"`;
  return known === etag ? { status: 304, headers: { etag } } : { ...answer, headers: { ...answer.headers, etag } };
};

const contentAnswer = (
  repositories: ReadonlyMap<string, Repository>,
  { pathname: path, searchParams: query }: URL,
  { hasReferrers }: Pick<RegistryOptions, 'hasReferrers'>,
): Answer => {
  if (path === '/v2/') return json(200, {});
  const { name = '', kind, reference = '' } = route.exec(path)?.groups ?? {};
  const repository = repositories.get(name);
  if (kind === 'manifests') return manifestAnswer(repository, reference);
  if (kind === 'blobs') return blobAnswer(repository, reference);
  if (kind === 'referrers' && hasReferrers) return referrersAnswer(repository, reference);
  // The response for a missing manifest or blob is the same whether its repository exists or not, as in the reference
  // implementation.
  if (!repository) return refusal(404, 'NAME_UNKNOWN');
  if (kind === 'tags' && reference === 'list') return tagsAnswer(name, repository, query);
  return refusal(404, 'NOT_FOUND');
};

const write = (response: ServerResponse, { status, headers, body }: Answer, isHead: boolean): void => {
  response.writeHead(status, { ...headers, 'content-length': String(body?.length ?? 0) });
  response.end(isHead ? undefined : body);
};

const trickle = async (response: ServerResponse, { status, headers, body }: Answer, everyMs: number): Promise<void> => {
  response.writeHead(status, { ...headers, 'content-length': String(body?.length ?? 0) });
  for (const byte of body ?? []) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await sleep(everyMs);
  }
  response.end();
};

const bloat = (response: ServerResponse, { status, headers, body }: Answer, { bytes, isDeclared }: Bloat): void => {
  const content = Buffer.alloc(bytes, ' ');
  body?.copy(content);
  response.writeHead(status, { ...headers, ...(isDeclared && { 'content-length': String(bytes) }) });
  response.end(content);
};

const withWrongDigest = (answer: Answer, digest: Digest): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'docker-content-digest': digest },
});

const corrupted = (answer: Answer): Answer => {
  const body = Buffer.from(answer.body ?? '');
  const last = body.length - 1;
  if (last >= 0) body.writeUInt8(body.readUInt8(last) ^ 0xff, last);
  return { ...answer, body };
};

/**
 * Starts an OCI distribution registry (read side of the distribution API 1.1) in memory on loopback. `push` adds
 * content; `fault` makes it fail in a chosen way. Serves the demo as well as the tests.
 */
export const startRegistry = async ({
  credentials,
  realm,
  port = 0,
  hasReferrers = false,
  hasEtags = false,
}: RegistryOptions = {}) => {
  const repositories = new Map<string, Repository>();
  const faults: RegistryFault[] = [];
  const uses = new Map<RegistryFault, number>();
  const requests: RegistryRequest[] = [];

  const repositoryOf = (name: string): Repository => {
    const known = repositories.get(name);
    if (known) return known;
    const created: Repository = { manifests: new Map(), tags: new Map(), blobs: new Map() };
    repositories.set(name, created);
    return created;
  };

  const basic =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;

  const authority = (request: IncomingMessage, url: URL): Answer | undefined => {
    if (!basic) return undefined;
    if (url.pathname === '/token')
      return request.headers.authorization === basic
        ? json(200, { token: accessToken, expires_in: 300 })
        : refusal(401, 'UNAUTHORIZED');
    if (request.headers.authorization === `Bearer ${accessToken}`) return undefined;
    const tokens = realm ?? `http://${request.headers.host ?? ''}/token`;
    return refusal(401, 'UNAUTHORIZED', { 'www-authenticate': `Bearer realm="${tokens}",service="registry"` });
  };

  const faultFor = (path: string): RegistryFault | undefined => {
    const fault = faults.findLast(
      (candidate) =>
        path.includes(candidate.match) &&
        !(candidate.kind === 'status' && (uses.get(candidate) ?? 0) >= (candidate.times ?? Number.POSITIVE_INFINITY)),
    );
    if (fault) uses.set(fault, (uses.get(fault) ?? 0) + 1);
    return fault;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://registry');
    const { method = 'GET', headers } = request;
    requests.push({ method, path: url.pathname, authorization: headers.authorization });
    const isHead = method === 'HEAD';
    const refused = authority(request, url) ?? (isHead || method === 'GET' ? undefined : refusal(405, 'UNSUPPORTED'));
    // Faults apply only to requests with a valid token.
    const fault = refused && url.pathname !== '/token' ? undefined : faultFor(url.pathname);
    const content = refused ?? contentAnswer(repositories, url, { hasReferrers });
    const isTagList = hasEtags && content.status === 200 && url.pathname.endsWith('/tags/list');
    const answer = isTagList ? conditional(content, headers['if-none-match']) : content;
    switch (fault?.kind) {
      case 'hang':
        return;
      case 'status':
        return write(response, refusal(fault.status, 'FAULT'), isHead);
      case 'redirect':
        return write(response, { status: 307, headers: { location: `${fault.to}${url.pathname}` } }, isHead);
      case 'trickle':
        return trickle(response, answer, fault.everyMs);
      case 'bloat':
        return bloat(response, answer, fault);
      case 'lie':
        return write(response, withWrongDigest(answer, fault.digest), isHead);
      case 'corrupt':
        return write(response, corrupted(answer), isHead);
      default:
        write(response, answer, isHead);
    }
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : port}`;

  return {
    host,
    origin: `http://${host}`,
    requests,
    /** The repository's full name, `host/path`, as releases write it (rulings 53). */
    repository: (name: string) => `${host}/${name}`,
    /** Stores an image and lets `tags` point to it; a tag that pointed elsewhere moves. */
    push(name: string, image: Image, ...tags: readonly string[]): Digest {
      const repository = repositoryOf(name);
      for (const manifest of image.manifests) repository.manifests.set(manifest.digest, manifest);
      for (const [digest, bytes] of image.blobs) repository.blobs.set(digest, bytes);
      for (const tag of tags) repository.tags.set(tag, image.digest);
      return image.digest;
    },
    /** Removes a manifest or blob, as a registry's garbage collection would. */
    remove(name: string, digest: Digest): void {
      const { manifests, blobs } = repositoryOf(name);
      manifests.delete(digest);
      blobs.delete(digest);
    },
    /** Removes a tag; what it pointed to stays. */
    untag(name: string, tag: string): void {
      repositoryOf(name).tags.delete(tag);
    },
    /** Adds a fault until the returned handle is disposed of. */
    fault(fault: RegistryFault): Disposable {
      faults.push(fault);
      return { [Symbol.dispose]: () => void faults.splice(faults.indexOf(fault), 1) };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

export type Registry = Awaited<ReturnType<typeof startRegistry>>;
