import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addressOf, listFiles, readDocument } from './document-files.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Each document of this installation under its address, as it is: what search found in it can be read in its place. */
export const registerDocuments = async (app: FastifyInstance, root = ROOT): Promise<void> => {
  for (const path of await listFiles(root))
    app.get(addressOf(path), async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(await readDocument(root, path)),
    );
};
