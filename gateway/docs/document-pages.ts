import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addressOf, listFiles, readDocument } from './document-files.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Serves each document of this installation unchanged, so that search results can link to it. */
export const registerDocuments = async (app: FastifyInstance, root = ROOT): Promise<void> => {
  for (const path of await listFiles(root))
    app.get(addressOf(path), async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(await readDocument(root, path)),
    );
};
