// Loaded before the program: refuses to load modules of a database, of the server or of the network.
import { registerHooks } from 'node:module';

const FORBIDDEN =
  /^(?:pg|undici|fastify|@apollo\/.*|node:(?:net|tls|http|https|http2|dgram)|net|tls|https?|http2|dgram)$/;

registerHooks({
  resolve: (specifier, context, next) => {
    if (FORBIDDEN.test(specifier)) throw new Error(`${context.parentURL} asks for ${specifier}`);
    return next(specifier, context);
  },
});
