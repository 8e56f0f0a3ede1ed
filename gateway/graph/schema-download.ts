import { readFileSync } from 'node:fs';
import { admit } from '@landfall/kernel/operation/operation';
import type { FastifyInstance } from 'fastify';
import type { Identify } from '../http/listener.ts';

/** Scopes that read the SDL, which one suffices; independent of introspection. */
const READ = {
  name: 'graph.schema',
  scope: ['release:read', 'orch:read', 'authority:admin'],
  callers: ['user', 'client'],
} as const;

/** Registers `GET /graphql/schema.graphql`: the public SDL, for generators and editors. */
export const registerSchemaDownload = async (
  app: FastifyInstance,
  { identify }: { readonly identify: Identify },
): Promise<void> => {
  const sdl = readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8');
  await app.register(async (scope) => {
    scope.get('/graphql/schema.graphql', async (request, reply) => {
      admit(await identify(request), READ);
      return reply.type('application/graphql; charset=utf-8').send(sdl);
    });
  });
};
