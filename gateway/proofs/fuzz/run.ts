import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { enrol } from '@landfall/agent/server/enrol';
import { openIdentity } from '@landfall/agent/state/identity';
import { systemClock } from '@landfall/kernel/core/clock';
import { caller } from '@landfall/kernel/testing/callers';
import { orchestratorModule } from '@landfall/orchestrator';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { buildSchema } from 'graphql';
import { bearer } from '../../testing/people.ts';
import { type Product, startProduct } from '../../testing/start.ts';
import { seed } from '../seed.ts';
import { graphFields, graphRequest } from './graph-requests.ts';
import { type Random, seededRandom } from './random.ts';
import { agentRequest, type Known, restRequest, type Sent } from './rest-requests.ts';

/** Number of parallel requests: enough to interfere with each other, without overload. */
const CONCURRENCY = 8;
/** Deadline of a request in milliseconds; a request that hangs is a failure. */
const TIMEOUT_MS = 30_000;

/** Routes whose answer does not end. */
const ENDLESS: ReadonlySet<string> = new Set(['/changes']);

interface Answer {
  readonly status: number;
  readonly body: string;
}

const plain = new HttpAgent({ keepAlive: true, maxSockets: CONCURRENCY });

/** Listeners that requests are sent to, and the agent's HTTPS client. */
interface Ground {
  readonly product: Product;
  readonly overTls: HttpsAgent;
}

/** Registers an agent, for the routes that require its certificate. */
const enlist = async (product: Product): Promise<HttpsAgent> => {
  const orchestrator = orchestratorModule.get(product.modules);
  const owner = caller({ subject: 'owner', scopes: ['orch:admin'] });
  const identity = await openIdentity(join(product.dataDir, 'fuzzing-agent'));
  const { value: token } = await orchestrator.agents.createToken(owner, { name: 'fuzzing' });
  const { certificate } = await enrol(
    identity,
    {
      server: new URL(product.agentUrl),
      token,
      name: 'fuzzing',
      version: '1.0.0',
      platform: 'linux/amd64',
      capabilities: { process: '1' },
      clock: systemClock,
    },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  return new HttpsAgent({
    keepAlive: true,
    maxSockets: CONCURRENCY,
    rejectUnauthorized: false,
    cert: certificate,
    key: identity.privateKey,
  });
};

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code));

/**
 * A request on a kept connection that the server closed meanwhile: the client sends it again (RFC 9112, 9.3.1).
 * On a new connection the same error is a failure.
 */
class ClosedWhileIdle extends Error {}

const originOf = ({ baseUrl, authUrl, agentUrl }: Product, { listener }: Sent): string =>
  listener === 'web' ? baseUrl : listener === 'authority' ? authUrl : agentUrl;

const sendOnce = async ({ product, overTls }: Ground, sent: Sent): Promise<Answer> => {
  const { method, path, body } = sent;
  const origin = new URL(originOf(product, sent));
  const headers = { ...sent.headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) };
  const { hostname, port, protocol } = origin;
  const to = { method, path, hostname, port, headers, timeout: TIMEOUT_MS };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing =
    protocol === 'https:'
      ? httpsRequest({ ...to, agent: overTls }, resolve)
      : httpRequest({ ...to, agent: plain }, resolve);
  outgoing.on('error', (error) =>
    reject(
      outgoing.reusedSocket && isReset(error) ? new ClosedWhileIdle('closed while idle', { cause: error }) : error,
    ),
  );
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
  outgoing.end(body);
  const incoming = await promise;
  return { status: incoming.statusCode ?? 0, body: await text(incoming) };
};

const MAX_SENDS = CONCURRENCY + 1;

/** Sends a request; each kept connection can be the one that was closed, so the last try is on a new one. */
const send = async (ground: Ground, sent: Sent, sends = 1): Promise<Answer> => {
  try {
    return await sendOnce(ground, sent);
  } catch (error) {
    if (error instanceof ClosedWhileIdle && sends < MAX_SENDS) return send(ground, sent, sends + 1);
    throw error instanceof ClosedWhileIdle ? error.cause : error;
  }
};

/** Finds a server failure in an answer; 501 is SCIM's answer to unsupported requests. */
const failureIn = ({ status, body }: Answer): string | undefined => {
  if (status >= 500 && status !== 501) return `${status} ${body.slice(0, 300)}`;
  return /"code":"SYS_\w+"/.exec(body)?.[0];
};

const visible = ({ name, method, path, headers, body = '' }: Sent): string =>
  `${name}: ${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body.slice(0, 400)}`;

/** Recognises the closed connection after the refusal of a large body. */
const isCutOff = (error: unknown, { body = '' }: Sent): boolean => isReset(error) && body.length > 500_000;

interface Trial {
  readonly status: number;
  readonly failure: string | undefined;
}

const attemptRun = async (ground: Ground, sent: Sent): Promise<Trial> => {
  try {
    const answer = await send(ground, sent);
    const failure = failureIn(answer);
    return { status: answer.status, failure: failure && `${failure}\n  ${visible(sent)}` };
  } catch (error) {
    return { status: 0, failure: isCutOff(error, sent) ? undefined : `${String(error)}\n  ${visible(sent)}` };
  }
};

const knownOf = async (product: Product): Promise<Known> => {
  await using stack = new AsyncDisposableStack();
  const one = await bearer(product, 'acme', [
    'release:read',
    'orch:read',
    'orch:operate',
    'orch:approve',
    'orch:admin',
    'authority:admin',
    'authority:scim',
    'advisory-ai:admin',
    'search:synthesize',
    'policy:read',
  ]);
  const { ids } = await seed({ ...product, stack });
  const values = Object.values(ids);
  return {
    ids: [values[0] ?? one.clientId, ...values.slice(1)],
    bearer: one.headers.authorization ?? '',
    basic: `Basic ${Buffer.from(`${one.clientId}:wrong`).toString('base64')}`,
  };
};

const schema = async () => buildSchema(await readFile(new URL('../../../schema/api.graphql', import.meta.url), 'utf8'));

/** Creates the generator of a seed's requests. */
const generator = async (random: Random, known: Known): Promise<() => Sent> => {
  const routes = publishedRoutes().filter(({ path }) => !ENDLESS.has(path));
  const fields = graphFields(await schema());
  const [firstRoute, ...otherRoutes] = routes;
  const [firstField, ...otherFields] = fields;
  if (!firstRoute || !firstField) throw new TypeError('there is nothing to ask');
  return () => {
    if (random.once(25)) return agentRequest(random, known);
    return random.once(2)
      ? restRequest(random.one([firstRoute, ...otherRoutes]), random, known)
      : graphRequest(random.one([firstField, ...otherFields]), random, known);
  };
};

interface Outcome {
  readonly sent: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Failures with their requests. */
  readonly failures: readonly string[];
  /** Error lines of the log. */
  readonly errors: readonly string[];
  /** Whether the token of the requests is still valid. */
  readonly isAlive: boolean;
}

/** Settings without an effective cost budget, so that requests are not refused for their cost. */
const NO_BUDGET = { LANDFALL_COST_PER_SECOND: '1000000000', LANDFALL_COST_BURST: '1000000000' };

const MAX_FAILURES = 40;

/** Sends `count` requests, chosen by a seed, to a running product. */
export const fuzz = async (seedNumber: number, count: number): Promise<Outcome> => {
  await using product = await startProduct('all-in-one', NO_BUDGET);
  const known = await knownOf(product);
  const ground = { product, overTls: await enlist(product) };
  const next = await generator(seededRandom(seedNumber), known);
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < count && failures.length < MAX_FAILURES) {
      sent += 1;
      const { status, failure } = await attemptRun(ground, next());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const alive = await fetch(`${product.baseUrl}/api/v1/release-orchestrator/releases`, {
    headers: { authorization: known.bearer },
  });
  const errors = product.processes.flatMap((each) =>
    each
      .output()
      .split('\n')
      .filter((line) => /^\{"level":"(?:error|fatal)"/.test(line)),
  );
  return { sent, statuses, failures, errors, isAlive: alive.status === 200 };
};
