// A REST read of the product, with a real token over HTTP, against a bare Fastify route (bare-read.ts) that verifies
// the same token and sends the same statements to the same database. Processor time is the server's and PostgreSQL's.
import { createReport } from './figure.ts';
import { restBench } from './rest.ts';

await using bench = await restBench();
const { releaseId = '' } = bench.ids;
const { result, alone } = await bench.compare({
  path: `/api/v1/release-orchestrator/releases/${releaseId}`,
  operation: 'release.get',
  input: { id: releaseId },
});

const { tell } = createReport('read');
tell('a release over REST, of the bare route', result.ratio.perCpuSecond, 'ratio', { atLeast: 0.6 });
tell('a release over REST, of the bare route, wall clock', result.ratio.perSecond, 'ratio');
tell('a release over REST, of the bare route, server without database', alone.ratio.perCpuSecond, 'ratio');
tell('a release over REST', result.ours.perCpuSecond, 'reads per CPU second');
tell('bare route', result.bare.perCpuSecond, 'reads per CPU second');
tell('a release over REST, wall clock', result.ours.perSecond, 'reads per second');
tell('bare route, wall clock', result.bare.perSecond, 'reads per second');
