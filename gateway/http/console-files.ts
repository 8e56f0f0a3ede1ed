import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const YEAR_SECONDS = 31_536_000;

/** Content policy: own files only, without inline scripts; inline styles, since the component library uses them. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
};

const cacheControl = (path: string): string =>
  /[\\/]assets[\\/]/.test(path) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';

/** Serves the built console: hashed files are cached for ever, the page never. */
export const registerConsole = async (app: FastifyInstance, dist: string): Promise<void> => {
  await app.register(fastifyStatic, {
    root: dist,
    dotfiles: 'ignore',
    cacheControl: false,
    index: ['index.html'],
    preCompressed: true,
    setHeaders: (response, path) => {
      response.headers({ ...PAGE_HEADERS, 'cache-control': cacheControl(path) });
    },
  });
};

/** Checks whether the console was built. */
export const hasConsole = (dist: string): boolean => existsSync(join(dist, 'index.html'));
