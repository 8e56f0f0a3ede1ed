import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Caller } from '@landfall/kernel/core/caller';
import type { SearchPorts } from '../ports.ts';

/** Answer of a route: a status with a body; `hang` never answers, `drop` closes the connection. */
export type Scripted = { readonly status: number; readonly body: string } | 'hang' | 'drop';

/** Starts a server on a real socket whose answers the test chooses, and records its requests. */
export const scriptedUpstream = async () => {
  const answers = new Map<string, Scripted>();
  const requests: { readonly target: string; readonly subject: string; readonly scopes: readonly string[] }[] = [];
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '') ?? { status: 404, body: '' };
    if (answer === 'drop') request.socket.destroy();
    if (typeof answer === 'object') response.writeHead(answer.status).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const upstream: SearchPorts['upstream'] = async (caller: Caller, { target, signal }) => {
    requests.push({ target, subject: caller.subject, scopes: [...caller.scopes] });
    const response = await fetch(origin + target, { signal: signal ?? null });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  };
  return {
    upstream,
    asked: requests,
    answer: (target: string, answer: Scripted): void => void answers.set(target, answer),
    /** A page of a list. */
    page: (target: string, items: readonly object[], nextCursor: string | null = null): void =>
      void answers.set(target, { status: 200, body: JSON.stringify({ items, nextCursor }) }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
};

export const FINDINGS = '/api/v2/security/findings';
export const POLICIES = '/api/v1/authority/effective-policies?enabledOnly=false&includeExpired=true&limit=100';
export const VEX = '/api/v1/canonical';

export const finding = (id: string, vulnId = 'CVE-2021-44228') => ({
  findingId: id,
  scanId: 's1',
  imageDigest: `sha256:${'a'.repeat(64)}`,
  purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
  vulnId,
  severity: 'Critical',
  cvss: 10,
  epss: 0.97,
  kev: true,
  reachability: 'reachable',
  exposure: null,
  vex: null,
  score: 0.99,
});

export const policy = (policyId: string, name = 'Approvals in Production') => ({
  policyId,
  name,
  kind: 'approvals',
  enabled: true,
  environment: { id: '01900000-0000-7000-8000-000000000001', name: 'Production' },
  expiresAt: null,
  rule: 'A promotion to Production needs 2 approvals.',
  source: 'orchestrator',
});
